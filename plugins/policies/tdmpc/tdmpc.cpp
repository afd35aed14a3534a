// SPDX-License-Identifier: Apache-2.0
// The networks of TD-MPC2 (Hansen et al. 2024).
#include "networks.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("tdmpc", "0.1.0", tenon::policy_graph<tdmpc::World>("world", "a model of latent states on simplices"),
             tenon::policy_graph<tdmpc::Q>("q", "values of actions in latent states, shared between two numbers"),
             tenon::actor<tdmpc::Actor>("actor", "the policy from which planning begins"));
