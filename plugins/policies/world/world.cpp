// SPDX-License-Identifier: Apache-2.0
// Models of the world, which imagine what follows an action, and the actors and critic of the third Dreamer.
#include "actors3.hpp"
#include "rssm.hpp"
#include "rssm3.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("world", "0.1.0",
             tenon::policy_graph<world::Rssm>("rssm", "a recurrent model of the world, as in Hafner et al. 2019"),
             tenon::policy_graph<world::Rssm3>("rssm3", "the model with discrete latents of Hafner et al. 2023"),
             tenon::actor<world::BoundedNormal>("bounded_normal", "normal actions, cut off at their bounds"),
             tenon::actor<world::Choice>("categorical", "one of several categories, none of them without probability"),
             tenon::policy_graph<world::TwoHotValue>("two_hot", "the value of a state, shared between two numbers"));
