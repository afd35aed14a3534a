// SPDX-License-Identifier: Apache-2.0
// A trunk: features that several networks read instead of the columns.
#pragma once

#include <cstdint>
#include <tuple>

#include "body.hpp"
#include "tenon/graph_component.hpp"

namespace mlp {

struct Features : Body {
    std::int64_t size = 64;

    [[nodiscard]] tenon::Value features(const tenon::Graph& g) const { return (*this)(g, size); }

    static constexpr auto options =
        std::tuple_cat(Body::options, Body::noise_options,
                       std::tuple{tenon::option<&Features::size>("size", 64, "[1,1000000]", "size of the output")});
    static constexpr auto functions = std::tuple{tenon::function<&Features::features>("features", "", "features")};
};

}  // namespace mlp
