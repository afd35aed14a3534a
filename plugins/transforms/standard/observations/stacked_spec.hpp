// SPDX-License-Identifier: Apache-2.0
// The spec of several rows that are concatenated along one of their dimensions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/guard.hpp"
#include "tenon/spec.hpp"

// Which dimension `dim` means; a number counts as a row of one. Throws if there is none, or if the column has no
// numbers.
inline std::size_t stacked_axis(const tenon::Spec& spec, std::int64_t dim) {
    if (spec.kind != TN_SPEC_BOUNDED && spec.kind != TN_SPEC_UNBOUNDED && spec.kind != TN_SPEC_BINARY) {
        throw tenon::InvalidArgument("column '" + spec.key + "' is categorical and cannot be stacked");
    }
    const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(spec.shape.size(), 1));
    if (dim < -rank || dim >= rank) {
        throw tenon::InvalidArgument("option 'dim' is " + std::to_string(dim) + ", but column '" + spec.key + "' has " +
                                     std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"));
    }
    return static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
}

// The number of rows of the dimensions before the axis.
inline std::size_t pieces_before(const tenon::Spec& spec, std::size_t axis) {
    std::size_t pieces = 1;
    for (std::size_t i = 0; i < axis; ++i) {
        pieces *= static_cast<std::size_t>(spec.shape[i]);
    }
    return pieces;
}

inline tenon::Spec stacked_spec(tenon::Spec spec, std::size_t axis, std::int64_t rows) {
    const std::size_t pieces = pieces_before(spec, axis);
    for (auto* bounds : {&spec.low, &spec.high}) {
        if (bounds->size() <= 1) {
            continue;
        }
        const auto piece = static_cast<std::ptrdiff_t>(bounds->size() / pieces);
        std::vector<double> all;
        for (auto from = bounds->begin(); from != bounds->end(); from += piece) {
            for (std::int64_t row = 0; row < rows; ++row) {
                all.insert(all.end(), from, from + piece);
            }
        }
        *bounds = all;
    }
    spec.shape.resize(std::max<std::size_t>(spec.shape.size(), 1), 1);
    spec.shape[axis] *= rows;
    return spec;
}
