// SPDX-License-Identifier: Apache-2.0
// Population-based training (Jaderberg et al. 2017): how the members of a population continue after a generation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commands/sweep/search/search.hpp"
#include "commands/sweep/search/space.hpp"

namespace tenon {

struct PopulationRules {
    double share = 0.25;     // of the members that are replaced, by as many of the best ones
    double step = 0.1;       // by which a value moves on average, as a share of its range; choices move by one place
    double resample = 0.25;  // the probability that a value is drawn at random instead
};

struct MemberPlan {
    std::size_t from = 0;  // whose checkpoint it continues; its own number: nothing changes
    Point point;
};

// The plan of each member, in order, from the results of generation `generation`. The worst share, and all that failed,
// copy one of the best that is better, and move its values. A pure function.
std::vector<MemberPlan> population_plan(const Space& space, std::span<const Observation> members,
                                        const PopulationRules& rules, std::uint64_t seed, std::size_t generation);

}  // namespace tenon
