// SPDX-License-Identifier: Apache-2.0
// The next point of a search. Each function is pure: nothing is kept between calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commands/sweep/search/space.hpp"

namespace tenon {

struct Observation {
    Point point;
    double loss = 0;  // smaller is better; NaN: it failed
    double cost = 1;  // in seconds; only cost_aware_point reads it
};

// The searches that learn from results begin with so many random points.
inline constexpr std::size_t kRandomStart = 10;

// The number of points of a grid; all dimensions are choices. At most `limit`.
std::size_t grid_size(const Space& space, std::size_t limit);

// Point `number` of the grid. The last dimension changes first.
Point grid_point(const Space& space, std::size_t number);

// Point `number` of the random search with this seed.
Point random_point(const Space& space, std::uint64_t seed, std::uint64_t number);

// Point `number` of the search by tree-structured Parzen estimators (Bergstra et al. 2011), with kernels over all
// dimensions together (Falkner et al. 2018). Random until ten points are known.
Point tpe_point(const Space& space, std::span<const Observation> known, std::uint64_t seed, std::uint64_t number);

// The numbers of the points that no other one beats in loss and cost, the cheapest first.
std::vector<std::size_t> pareto_front(std::span<const Observation> known);

// Point `number` of a search along the front of loss and cost, in the manner of CARBS (Fetterman et al. 2023): among
// points near the front, the one whose loss is expected to be most below that of the front at the same cost, by
// Gaussian processes of loss and log cost. Random until ten points are known.
Point cost_aware_point(const Space& space, std::span<const Observation> known, std::uint64_t seed,
                       std::uint64_t number);

}  // namespace tenon
