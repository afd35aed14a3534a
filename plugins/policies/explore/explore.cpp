// SPDX-License-Identifier: Apache-2.0
// Exploration: changes an action between the policy and the environment during training.
#include "epsilon_greedy.hpp"
#include "expert.hpp"
#include "gaussian.hpp"
#include "ornstein_uhlenbeck.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("explore", "0.1.0",
             tenon::policy_graph<EpsilonGreedy>("epsilon_greedy", "a uniformly random action now and then"),
             tenon::policy_graph<Expert>("expert", "an expert's action now and then, for DAgger"),
             tenon::policy_graph<Gaussian>("gaussian", "normal noise on a continuous action, within its bounds"),
             tenon::policy_graph<OrnsteinUhlenbeck>("ornstein_uhlenbeck",
                                                    "correlated noise on a continuous action, within its bounds"));
