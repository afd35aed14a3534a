// SPDX-License-Identifier: Apache-2.0
// Reads columns as real numbers within two bounds. The same as TorchRL's ClipTransform with both of them.
#pragma once

#include <string>
#include <vector>

#include "tenon/transform_graph.hpp"

struct Clip {
    std::vector<std::string> columns;
    double low;
    double high;

    void setup() const {
        if (low >= high) {
            throw tenon::InvalidArgument("option 'low' must be below option 'high'");
        }
    }

    [[nodiscard]] tenon::Value apply(const tenon::Graph& /*g*/, tenon::Value x) const {
        return clamp(cast(x, "real"), low, high);
    }

    static constexpr auto functions = std::tuple{tenon::function<&Clip::apply>("apply", "x", "y")};
    static constexpr auto options = std::tuple{
        tenon::option<&Clip::columns>("columns", {"observation"}, "", "which columns, rewards and extras included"),
        tenon::option<&Clip::low>("low", -1.0, "(-inf,inf)", "lower numbers become this"),
        tenon::option<&Clip::high>("high", 1.0, "(-inf,inf)", "higher numbers become this"),
    };
};
