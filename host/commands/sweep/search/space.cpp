// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/search/space.hpp"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

struct Ends {
    double low;
    double high;
};

Ends ends_of(const Dimension& dimension) {
    const double half = dimension.integer ? 0.5 : 0;  // the ends are as probable as the integers between them
    const Ends ends{.low = dimension.min - half, .high = dimension.max + half};
    return dimension.log ? Ends{.low = std::log(ends.low), .high = std::log(ends.high)} : ends;
}

}  // namespace

double position_of(const Dimension& dimension, double value) {
    const Ends ends = ends_of(dimension);
    const double at = ((dimension.log ? std::log(value) : value) - ends.low) / (ends.high - ends.low);
    return std::clamp(at, 0.0, 1.0);
}

double value_at(const Dimension& dimension, double position) {
    const Ends ends = ends_of(dimension);
    const double at = ends.low + (position * (ends.high - ends.low));
    const double value = dimension.log ? std::exp(at) : at;
    return std::clamp(dimension.integer ? std::round(value) : value, dimension.min, dimension.max);
}

}  // namespace tenon
