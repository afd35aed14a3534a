// SPDX-License-Identifier: Apache-2.0
// Objectives of language models.
#include "distillation.hpp"
#include "expert.hpp"
#include "grpo.hpp"
#include "reward_model.hpp"
#include "sft.hpp"
#include "tenon/plugin.hpp"

TENON_PLUGIN("language", "0.1.0", tenon::objective<language::Sft>("sft", "supervised fine-tuning"),
             tenon::objective<language::RewardModel>("reward_model", "a model of rewards from pairs of answers"),
             tenon::objective<language::Grpo>("grpo", "group-relative policy optimisation"),
             tenon::objective<language::Expert>("expert_iteration",
                                                "fine-tuning on the best of a policy's own answers"),
             tenon::objective<language::Distillation>("distillation",
                                                      "a policy follows the probabilities of a teacher"));
