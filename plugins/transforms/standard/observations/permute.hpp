// SPDX-License-Identifier: Apache-2.0
// Reads a column with its dimensions in another order; with as_real this is TorchRL's ToTensorImage. The same as its
// PermuteTransform.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "observations/refuse_sizes.hpp"
#include "tenon/transform_graph.hpp"

struct Permute {
    std::string column;
    std::vector<std::int64_t> dims;

    void setup() {
        const auto count = static_cast<std::int64_t>(dims.size());
        for (std::int64_t& dim : dims) {
            dim -= dim < 0 ? 0 : count;
        }
        std::vector<std::int64_t> sorted = dims;
        std::ranges::sort(sorted);
        for (std::int64_t i = 0; i < count; ++i) {
            if (count < 2 || sorted[static_cast<std::size_t>(i)] != i - count) {
                throw tenon::InvalidArgument(
                    "option 'dims' must name each dimension once, such as [2, 0, 1] for three of them");
            }
        }
    }

    [[nodiscard]] tenon::Value apply(const tenon::Graph& /*g*/, tenon::Value x) const {
        const std::size_t rank = tenon::sizes_of(x).size();
        if (rank < dims.size()) {
            refuse_sizes(column, rank, "option 'dims' names " + std::to_string(dims.size()));
        }
        std::vector<std::int64_t> order(rank - dims.size());  // of a column with more sizes, the last ones
        std::iota(order.begin(), order.end(), -static_cast<std::int64_t>(rank));
        order.insert(order.end(), dims.begin(), dims.end());
        return permute(x, order);
    }

    static constexpr auto functions = std::tuple{tenon::function<&Permute::apply>("apply", "x", "y")};
    static constexpr auto options = std::tuple{
        tenon::option<&Permute::column>("column", "observation", "which column"),
        tenon::required<&Permute::dims>("dims", "[-8,7]",
                                        "the dimensions in their new order: [2, 0, 1] makes [channels, height, width] "
                                        "of [height, width, channels]"),
    };
};
