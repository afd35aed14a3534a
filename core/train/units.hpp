// SPDX-License-Identifier: Apache-2.0
// Instances of the parts: units for the graphs' builder, and lanes of the env.
#pragma once

#include <cstdint>
#include <string_view>

#include "env/lanes.hpp"
#include "error/result.hpp"
#include "graph/context.hpp"
#include "train/live.hpp"
#include "train/parts.hpp"

namespace tenon {

struct Wiring;

bool all_loaded(const Parts& parts);

// Makes the instances of policies, exploration and objective: units of graphs, or the one procedure that acts.
void make_units(Wiring& wiring, Problems& problems);

// Whether a transform is a graph that programs read through; otherwise it is a procedure of the lanes.
bool is_graph_transform(const Part& part);

// An env with its wrappers and transforms in `lanes` lanes; `stream` distinguishes the training env from evaluation
// envs. Options of wrappers follow their live values, which must outlive the lanes.
Result<Lanes> make_lanes(const EnvParts& parts, const LiveValues& live, std::uint32_t lanes, std::uint64_t seed,
                         std::string_view stream, Pool& pool);

// Whether acting can call the unit's sample and mode.
bool acts_with_action(const graph::Unit& unit);

}  // namespace tenon
