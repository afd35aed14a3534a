// SPDX-License-Identifier: Apache-2.0
// A network of the agents' values whose weights are functions of the state and not negative, so that each agent's best
// action is part of the best joint action (Rashid et al. 2018, section 4).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/agents.hpp"
#include "tenon/categories.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/images.hpp"
#include "tenon/nets.hpp"
#include "tenon/options.hpp"

struct Qmix {
    std::int64_t size = 32;
    std::vector<std::string> in;

    [[nodiscard]] tenon::Value mix(const tenon::Graph& g, tenon::Value values) const {
        return mixed(g, tenon::agents(values));
    }

protected:
    // The joint value of the agents' values [.., agents].
    [[nodiscard]] tenon::Value mixed(const tenon::Graph& g, tenon::Value q) const {
        const std::int64_t n = tenon::last_size(q);
        const tenon::Value state = columns(g);
        const tenon::Value weights = tenon::reshape(abs(layer(g, "weights", state, n * size)), {n, size});
        const tenon::Value hidden = elu(sum(unsqueeze(q) * weights, -2) + layer(g, "bias", state, size));
        const tenon::Value last = abs(layer(g, "last_weights", state, size));
        const tenon::Value value = layer(g, "last_bias.1", relu(layer(g, "last_bias.0", state, size)), 1);
        return sum(hidden * last) + squeeze(value);
    }

public:
    static constexpr auto options = std::tuple{
        tenon::option<&Qmix::size>("size", 32, "[1,1000000]", "size of the hidden layer"),
        tenon::option<&Qmix::in>("in", {"state"}, "", "the columns that the weights are functions of, concatenated")};
    static constexpr auto functions = std::tuple{tenon::function<&Qmix::mix>("mix", "values", "value")};

private:
    // The column of a group of agents is that of all of them, one after the other.
    [[nodiscard]] tenon::Value columns(const tenon::Graph& g) const {
        std::vector<tenon::Value> all;
        for (const std::string& key : in) {
            const tn_spec* const spec = g.spec(key.c_str(), true);
            const tenon::Value x = g.batch()[key.c_str()];
            if (spec != nullptr && tenon::holds_categories(*spec)) {
                all.push_back(tenon::categories_one_hot(x, *spec));
            } else if (spec != nullptr && spec->rank > 1 && spec->group.size == 0) {
                throw tenon::InvalidArgument("column '" + key + "' has rows of " + std::to_string(spec->rank) +
                                             " dimensions, but the mixer reads rows of one");
            } else {
                all.push_back(spec != nullptr && spec->rank > 1 ? tenon::flatten(cast(x, "real")) : cast(x, "real"));
            }
        }
        return tenon::join(all);
    }
    [[nodiscard]] static tenon::Value layer(const tenon::Graph& g, const std::string& name, tenon::Value x,
                                            std::int64_t width) {
        return tenon::dense(g, name, x, width, tenon::default_init(tenon::last_size(x)));
    }
    [[nodiscard]] static tenon::Value elu(tenon::Value x) { return where(x > 0, x, expm1(min(x, 0))); }
};
