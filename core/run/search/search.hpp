// SPDX-License-Identifier: Apache-2.0
// The next point of a search. Each is a pure function: nothing is kept between two calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "run/search/space.hpp"

namespace tenon {

struct Observation {
    Point point;
    double loss = 0;  // smaller is better; NaN: it failed
};

// The number of points of a grid; all dimensions are choices. At most `limit`.
std::size_t grid_size(const Space& space, std::size_t limit);

// Point `number` of the grid. The last dimension changes first.
Point grid_point(const Space& space, std::size_t number);

// Point `number` of the random search with this seed.
Point random_point(const Space& space, std::uint64_t seed, std::uint64_t number);

// Point `number` of the search by tree-structured Parzen estimators (Bergstra et al. 2011), with kernels over all
// dimensions together (Falkner et al. 2018). Random until ten points are known.
Point tpe_point(const Space& space, std::span<const Observation> known, std::uint64_t seed, std::uint64_t number);

}  // namespace tenon
