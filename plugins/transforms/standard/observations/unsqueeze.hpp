// SPDX-License-Identifier: Apache-2.0
// Reads a column with one more dimension, of size 1. The same as TorchRL's UnsqueezeTransform.
#pragma once

#include <cstdint>
#include <string>

#include "observations/refuse_sizes.hpp"
#include "tenon/transform_graph.hpp"

struct Unsqueeze {
    std::string column;
    std::int64_t dim;

    [[nodiscard]] tenon::Value apply(const tenon::Graph& /*g*/, tenon::Value x) const {
        const std::size_t rank = tenon::sizes_of(x).size();
        if (static_cast<std::size_t>(-dim) > rank + 1) {
            refuse_sizes(column, rank, "option 'dim' is " + std::to_string(dim));
        }
        return unsqueeze(x, dim);
    }

    static constexpr auto functions = std::tuple{tenon::function<&Unsqueeze::apply>("apply", "x", "y")};
    static constexpr auto options = std::tuple{
        tenon::option<&Unsqueeze::column>("column", "observation", "which column"),
        tenon::option<&Unsqueeze::dim>("dim", -1, "[-8,-1]", "which of the new dimensions; -1 is the last one"),
    };
};
