// SPDX-License-Identifier: Apache-2.0
// Reads a column as real numbers, times a factor, plus an offset, so that images are stored as bytes. The same as
// TorchRL's ToTensorImage, with the factor 1/255, except for the order of axes.
#pragma once

#include <string>

#include "tenon/transform_graph.hpp"

struct AsReal {
    std::string column;

    [[nodiscard]] tenon::Value apply(const tenon::Graph& g, tenon::Value x) const {
        return cast(x, "real") * g.option("factor") + g.option("offset");
    }

    static constexpr auto functions = std::tuple{tenon::function<&AsReal::apply>("apply", "x", "y")};
    static constexpr auto options = std::tuple{
        tenon::option<&AsReal::column>("column", "observation", "which column"),
        tenon::live("factor", 1.0, "(-inf,inf)", "factor of its numbers"),
        tenon::live("offset", 0.0, "(-inf,inf)", "added after the factor"),
    };
};
