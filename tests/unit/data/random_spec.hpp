// SPDX-License-Identifier: Apache-2.0
// Random valid specs, for laws that hold of all of them.
#pragma once

#include <limits>
#include <random>

#include "base/data/spec.hpp"

namespace tenon::test {

inline Spec random_spec(std::mt19937_64& random) {
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    Spec spec;
    spec.key = "column" + std::to_string(pick(0, 99));
    spec.kind = static_cast<SpecKind>(pick(TN_SPEC_UNBOUNDED, TN_SPEC_BINARY));
    spec.role = static_cast<Role>(pick(TN_ROLE_OBSERVATION, TN_ROLE_EXTRA));
    spec.dtype = static_cast<DType>(pick(TN_F32, TN_BOOL));
    const bool index = spec.kind == SpecKind::kCategorical || spec.kind == SpecKind::kMultiCategorical;
    if (index && is_float(spec.dtype)) {
        spec.dtype = DType::kI64;
    }
    const std::int64_t most = spec.dtype == DType::kBool ? 2 : 9;
    std::vector<std::int64_t> extents;
    for (std::int64_t i = pick(0, 2); i > 0; --i) {
        extents.push_back(pick(1, 4));
    }
    switch (spec.kind) {
        case SpecKind::kCategorical:
            spec.categories = {pick(1, most)};
            break;
        case SpecKind::kOneHot:
            spec.categories = {pick(1, 9)};
            extents.push_back(spec.categories[0]);
            break;
        case SpecKind::kMultiCategorical:
            for (std::int64_t i = pick(1, 4); i > 0; --i) {
                spec.categories.push_back(pick(1, most));
            }
            extents.push_back(static_cast<std::int64_t>(spec.categories.size()));
            break;
        default:
            break;
    }
    spec.shape = Shape(std::span<const std::int64_t>(extents));
    if (!extents.empty() && pick(0, 3) == 0) {
        spec.group = "agents" + std::to_string(extents[0]);
        spec.key = spec.group + "." + spec.key;
    }
    if (spec.kind == SpecKind::kBounded) {
        const std::int64_t n = pick(0, 1) == 0 ? 1 : spec.shape.elements();
        const bool small = spec.dtype == DType::kBool || spec.dtype == DType::kU8;
        for (std::int64_t i = 0; i < n; ++i) {
            const double low = small ? 0.0 : static_cast<double>(pick(-20, 3));
            const bool open_low = is_float(spec.dtype) && pick(0, 4) == 0;
            const bool open_high = is_float(spec.dtype) && pick(0, 4) == 0;
            const double inf = std::numeric_limits<double>::infinity();
            spec.low.push_back(open_low ? -inf : low);
            spec.high.push_back(open_high ? inf : small ? 1.0 : low + static_cast<double>(pick(0, 8)));
        }
    }
    spec.flags = spec.kind == SpecKind::kMultiCategorical && pick(0, 1) == 1 ? TN_SPEC_TEXT : 0;
    return spec;
}

}  // namespace tenon::test
