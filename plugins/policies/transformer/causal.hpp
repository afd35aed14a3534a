// SPDX-License-Identifier: Apache-2.0
// A trunk that attends to the steps of its episode, one token a step: what other networks read instead of the columns.
// Its memory is a window of keys and values.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "blocks.hpp"
#include "tenon/categories.hpp"
#include "tenon/graph_component.hpp"

namespace transformer {

struct Causal : Blocks {
    std::int64_t window = 32;
    std::vector<std::string> in;

    [[nodiscard]] Value features(const tenon::Graph& g) const {
        const Value step = g.memory("step", {});
        g.remember("step", step + 1);
        // Rows of the window come in from its end. So `age` of them have been written, the present one among them.
        const Value age = min(step + 1, static_cast<double>(window));
        const Value written = unsqueeze(tenon::count_up(window), -2) >= unsqueeze(unsqueeze(window - age));
        const Value x = unsqueeze(dense(g, "in", tenon::join(columns(g)), width), -2);
        const Value out =
            blocks(g, x, unsqueeze(step), [&](std::int64_t layer, Value queries, Value keys, Value values) {
                const std::string number = std::to_string(layer);
                const Rows rows{appended(g, "keys" + number, keys), appended(g, "values" + number, values), written};
                return attention(queries, {rows}, heads);
            });
        return squeeze(out, -2);
    }

    static constexpr auto options = std::tuple_cat(
        Blocks::options,
        std::tuple{tenon::option<&Blocks::positions>("positions", "rotary", "rotary|none",
                                                     "how it knows how long ago a step was"),
                   tenon::option<&Causal::window>("window", 32, "[1,100000]",
                                                  "steps that it sees, the present one among them"),
                   tenon::option<&Causal::in>("in", {"observation"}, "", "the columns it reads, concatenated")});
    static constexpr auto functions = std::tuple{tenon::function<&Causal::features>("features", "", "features")};

private:
    [[nodiscard]] Value appended(const tenon::Graph& g, const std::string& name, Value row) const {
        const Value old = g.memory(name.c_str(), {window, width});
        const Value now = window == 1 ? row : tenon::concat({slice(old, 1, window - 1, -2), row}, -2);
        g.remember(name.c_str(), now);
        return now;
    }

    [[nodiscard]] std::vector<Value> columns(const tenon::Graph& g) const {
        std::vector<Value> out;
        for (const std::string& key : in) {
            const tn_spec* spec = g.spec(key.c_str(), true);
            if (spec != nullptr && spec->rank > 1) {
                throw tenon::InvalidArgument("column '" + key + "' has rows of " + std::to_string(spec->rank) +
                                             " dimensions, but this network reads rows of one; the transform "
                                             "standard/flatten makes one of them");
            }
            const Value x = g.batch()[key.c_str()];
            out.push_back(spec != nullptr && tenon::holds_categories(*spec) ? tenon::categories_one_hot(x, *spec) : x);
        }
        return out;
    }
};

}  // namespace transformer
