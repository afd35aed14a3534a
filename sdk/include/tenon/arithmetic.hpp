// SPDX-License-Identifier: Apache-2.0
// What a transform does to a column outside of learning, as numbers, so that exported policies do the same. A
// transform with such a function says it for each of its columns:
//
//     tenon::Arithmetic arithmetic(tenon::ColumnIndex which) const {
//         return tenon::scaled(mean, deviation, -clip, clip);
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tenon/abi/arithmetic.h"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Arithmetic {
    std::int32_t kind = 0;
    std::span<const double> offset = {};
    std::span<const double> scale = {};
    double low = 0;
    double high = 0;
    std::uint64_t frames = 0;
    std::uint64_t pieces = 0;
    bool repeats = false;
};

// Each element: (x - offset) / scale, within the bounds. The numbers stay the author's.
inline Arithmetic scaled(std::span<const double> offset, std::span<const double> scale,
                         double low = -std::numeric_limits<double>::infinity(),
                         double high = std::numeric_limits<double>::infinity()) {
    return {.kind = TN_ARITHMETIC_SCALE, .offset = offset, .scale = scale, .low = low, .high = high};
}

// The last `frames` rows, oldest first, of each of `pieces` parts of a row. With `repeats`, copies of an episode's
// first row precede it, otherwise zeros.
inline Arithmetic stacked(std::uint64_t frames, std::uint64_t pieces, bool repeats) {
    return {.kind = TN_ARITHMETIC_STACK, .frames = frames, .pieces = pieces, .repeats = repeats};
}

// For the adapter: the arithmetic of one agent, for each of a group's.
class RepeatedArithmetic {
public:
    Arithmetic for_agents(Arithmetic one, std::size_t agents) {
        offset_.clear();
        scale_.clear();
        for (std::size_t agent = 0; agent < agents; ++agent) {
            offset_.insert(offset_.end(), one.offset.begin(), one.offset.end());
            scale_.insert(scale_.end(), one.scale.begin(), one.scale.end());
        }
        one.offset = offset_;
        one.scale = scale_;
        one.pieces *= agents;
        return one;
    }

private:
    std::vector<double> offset_;
    std::vector<double> scale_;
};

// For the adapter.
inline void give(const Arithmetic& from, tn_arithmetic& to) {
    if (from.offset.size() != from.scale.size()) {
        throw InvalidArgument("the arithmetic has as many offsets as scales");
    }
    to.kind = from.kind;
    to.count = from.offset.size();
    to.offset = from.offset.data();
    to.scale = from.scale.data();
    to.low = from.low;
    to.high = from.high;
    to.frames = from.frames;
    to.pieces = from.pieces;
    to.repeats = from.repeats ? 1 : 0;
}

}  // namespace TENON_SDK
}  // namespace tenon
