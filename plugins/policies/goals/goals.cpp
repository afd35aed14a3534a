// SPDX-License-Identifier: Apache-2.0
// Rewards and ends that follow from a goal, as functions for [columns].
#include "hindsight.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("goals", "0.1.0",
             tenon::policy_graph<Hindsight>("hindsight",
                                            "goal, reward and end of rows that replay/hindsight relabels"));
