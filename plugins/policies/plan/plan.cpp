// SPDX-License-Identifier: Apache-2.0
// Planners: policies that act by a model's predictions for plans. The model is any network with the functions `step`
// and `reward`: equations, or networks that learn. A tree search has copies of the env in place of a model.
#include "guide.hpp"
#include "guided.hpp"
#include "mcts.hpp"
#include "planners.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("plan", "0.1.0", tenon::policy_graph<plan::Cem>("cem", "plans by the cross-entropy method in a model"),
             tenon::policy_graph<plan::Mppi>("mppi", "plans by model predictive path integrals in a model"),
             tenon::policy_graph<plan::Guided>("guided", "plans by path integrals from what a policy would do"),
             tenon::policy_graph<plan::Shooting>("shooting", "takes the best of random plans in a model"),
             tenon::policy_graph<plan::Guide>("guide", "tells a tree search the priors and values of two networks"),
             tenon::policy<plan::Mcts>("mcts", "searches a tree of actions in copies of the env"));
