// SPDX-License-Identifier: Apache-2.0
// Transformers: trunks for networks that attend to their past, and language models.
#include "causal.hpp"
#include "decision.hpp"
#include "language.hpp"
#include "score.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("transformer", "0.1.0",
             tenon::policy_graph<transformer::Causal>("causal", "a trunk that attends to the steps of its episode"),
             tenon::policy_graph<transformer::Decision>(
                 "decision", "a trunk over returns, observations and actions (Decision Transformer)"),
             tenon::policy_graph<transformer::Language>("language", "a decoder that answers a prompt of tokens"),
             tenon::policy_graph<transformer::Score>("score", "a decoder that scores an answer to a prompt"));
