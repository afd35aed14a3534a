// SPDX-License-Identifier: Apache-2.0
// Self-play: copies of a network that learns, kept as opponents.
#include "opponent.hpp"
#include "pool.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

TENON_PLUGIN("league", "0.1.0", tenon::hook<Pool>("pool", "keeps copies of a network as opponents, and rates them"),
             tenon::policy_graph<Opponent>("opponent", "acts by one of a network's members, another one each episode"));
