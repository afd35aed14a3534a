// SPDX-License-Identifier: Apache-2.0
// Reads a column without a dimension of size 1. The same as TorchRL's SqueezeTransform, which leaves other sizes as
// they are where this one refuses them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observations/refuse_sizes.hpp"
#include "tenon/transform_graph.hpp"

struct Squeeze {
    std::string column;
    std::int64_t dim;

    [[nodiscard]] tenon::Value apply(const tenon::Graph& /*g*/, tenon::Value x) const {
        const std::vector<std::int64_t> sizes = tenon::sizes_of(x);
        const auto from_end = static_cast<std::size_t>(-dim);
        if (from_end > sizes.size()) {
            refuse_sizes(column, sizes.size(), "option 'dim' is " + std::to_string(dim));
        }
        if (sizes[sizes.size() - from_end] != 1) {
            refuse_sizes(column, sizes.size(),
                         "dimension " + std::to_string(dim) + " is of size " +
                             std::to_string(sizes[sizes.size() - from_end]) + " instead of 1");
        }
        return squeeze(x, dim);
    }

    static constexpr auto functions = std::tuple{tenon::function<&Squeeze::apply>("apply", "x", "y")};
    static constexpr auto options = std::tuple{
        tenon::option<&Squeeze::column>("column", "observation", "which column"),
        tenon::option<&Squeeze::dim>("dim", -1, "[-8,-1]", "which dimension; -1 is the last one"),
    };
};
