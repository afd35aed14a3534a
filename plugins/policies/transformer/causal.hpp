// SPDX-License-Identifier: Apache-2.0
// A trunk that attends to the steps of its episode, one token a step: what other networks read instead of the columns.
// Its histories are the keys and values of each block.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "blocks.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/row_columns.hpp"
#include "tenon/transformer.hpp"

namespace transformer {

struct Causal : Blocks {
    std::int64_t window = 32;
    std::vector<std::string> in;

    [[nodiscard]] Value features(const tenon::Graph& g) const {
        const Value x = unsqueeze(dense(g, "in", tenon::join(columns(g)), width), -2);
        const auto attend = [&](std::int64_t layer, Value queries, Value keys, Value values) {
            const auto past = [&](const char* what, Value rows) {
                return g.history((what + std::to_string(layer)).c_str(), squeeze(rows, -2), window);
            };
            const tenon::History seen = past("keys", keys);
            return tenon::attention(queries, seen.rows, past("values", values).rows, heads, {.allowed = seen.first});
        };
        const Value places = positions == "rotary" ? unsqueeze(g.episode_step()) : Value{};
        return squeeze(blocks(g, x, places, attend), -2);
    }

    static constexpr auto options = std::tuple_cat(
        Blocks::options,
        std::tuple{tenon::option<&Blocks::positions>("positions", "rotary", "rotary|none",
                                                     "how it knows how long ago a step was"),
                   tenon::option<&Causal::window>("window", 32, "[1,100000]",
                                                  "steps that each layer sees, the present one among them"),
                   tenon::option<&Causal::in>("in", {"observation"}, "", "the columns it reads, concatenated")});
    static constexpr auto functions = std::tuple{tenon::function<&Causal::features>("features", "", "features")};

private:
    [[nodiscard]] std::vector<Value> columns(const tenon::Graph& g) const {
        return tenon::row_columns(g, g.batch(), in, "; the transform standard/flatten makes one of them");
    }
};

}  // namespace transformer
