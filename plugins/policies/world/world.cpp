// SPDX-License-Identifier: Apache-2.0
// Models of the world, which imagine what follows an action.
#include "rssm.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("world", "0.1.0",
             tenon::policy_graph<world::Rssm>("rssm", "a recurrent model of the world, as in Hafner et al. 2019"));
