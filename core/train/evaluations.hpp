// SPDX-License-Identifier: Apache-2.0
// The environments of a run's evaluations: the training env, or those of [eval.env].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "env/lanes.hpp"
#include "train/wiring.hpp"

namespace tenon {

// Their names, "" for one without a name. The first one decides which checkpoint is the best.
std::vector<std::string> evaluation_names(const Manifest& manifest);

// The number of lanes that evaluation number `which` uses for this many episodes.
std::uint32_t evaluation_lanes(const Manifest& manifest, std::size_t which, std::int64_t episodes);

Result<Lanes> make_evaluation_env(const Wiring& wiring, std::size_t which, std::uint32_t lanes, std::uint64_t seed,
                                  Pool& pool);

// Adds a problem for every evaluation env whose observations or actions differ from those of the training env.
void check_evaluations(const Wiring& wiring, Pool& pool, Problems& problems);

}  // namespace tenon
