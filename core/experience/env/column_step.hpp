// SPDX-License-Identifier: Apache-2.0
// What a transform does to a column outside of learning, as numbers (tenon/abi/arithmetic.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/data/spec.hpp"

namespace tenon {

struct ColumnStep {
    enum class Kind : std::uint8_t { kScale, kStack };

    std::string transform;  // its display name
    Kind kind = Kind::kScale;
    Spec from;  // the column before and after it
    Spec to;
    std::vector<double> offset;  // of a scale: this and the next three
    std::vector<double> scale;
    double low = 0;
    double high = 0;
    std::int64_t frames = 0;  // of a stack: this and the next two
    std::int64_t pieces = 0;
    bool repeats = false;
};

}  // namespace tenon
