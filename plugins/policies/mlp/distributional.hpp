// SPDX-License-Identifier: Apache-2.0
// Networks that output the distribution of the return of every categorical action. They act greedily by its mean.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "action.hpp"
#include "body.hpp"
#include "tenon/distributional.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/heads/mask.hpp"

namespace mlp {

// `width` numbers per action: [.., n, width].
struct PerAction : Body {
    [[nodiscard]] tenon::Value all(const tenon::Graph& g, std::int64_t width) const {
        const tn_spec* action = categories_for(g);
        return action == nullptr ? tenon::Value{}
                                 : reshape((*this)(g, action->categories[0] * width), {action->categories[0], width});
    }

    static tenon::Value of_action(tenon::Value all, tenon::Value action) {
        const tn_type type = type_of(all);
        return type.rank < 2 ? tenon::Value{} : sum(all * unsqueeze(one_hot(action, type.dim[type.rank - 2])), -2);
    }

    static std::array<tenon::Value, 2> best(tenon::Value values) { return {argmax(values), values}; }
};

// Probabilities of evenly spaced returns (C51, Bellemare et al. 2017).
struct C51 : PerAction {
    std::int64_t atoms = 51;
    double low = -10;
    double high = 10;

    [[nodiscard]] tenon::Value support(const tenon::Graph& /*g*/) const {
        if (low >= high) {
            throw tenon::InvalidArgument("v_min must be below v_max");
        }
        return low + tenon::count_up(atoms) * ((high - low) / static_cast<double>(atoms - 1));
    }
    [[nodiscard]] tenon::Value atom_log_probs(const tenon::Graph& g, tenon::Value action) const {
        return log_softmax(of_action(all(g, atoms), action));
    }
    [[nodiscard]] tenon::Value values(const tenon::Graph& g) const {
        return tenon::only_allowed(g, sum(softmax(all(g, atoms)) * unsqueeze(support(g), -2)));
    }
    [[nodiscard]] std::array<tenon::Value, 2> mode(const tenon::Graph& g) const { return best(values(g)); }

    static constexpr auto options =
        std::tuple_cat(Body::options, Body::noise_options,
                       std::tuple{tenon::option<&C51::atoms>("atoms", 51, "[2,10000]", "number of atoms (returns)"),
                                  tenon::option<&C51::low>("v_min", -10.0, "", "the smallest return"),
                                  tenon::option<&C51::high>("v_max", 10.0, "", "the largest return")});
    static constexpr auto functions =
        std::tuple{tenon::function<&C51::support>("support", "", "support"),
                   tenon::function<&C51::atom_log_probs>("atom_log_probs", "action", "atom_log_probs"),
                   tenon::function<&C51::values>("values", "", "action_value"),
                   tenon::function<&C51::mode>("mode", "", "action action_value"),
                   tenon::function<&C51::mode>("sample", "", "action action_value")};
};

// Quantiles of the return (QR-DQN, Dabney et al. 2018).
struct Quantiles : PerAction {
    std::int64_t count = 200;

    [[nodiscard]] tenon::Value quantiles(const tenon::Graph& g, tenon::Value action) const {
        return of_action(all(g, count), action);
    }
    [[nodiscard]] tenon::Value values(const tenon::Graph& g) const {
        return tenon::only_allowed(g, mean(all(g, count)));
    }
    [[nodiscard]] std::array<tenon::Value, 2> mode(const tenon::Graph& g) const { return best(values(g)); }

    static constexpr auto options = std::tuple_cat(
        Body::options, Body::noise_options,
        std::tuple{tenon::option<&Quantiles::count>("quantiles", 200, "[1,10000]", "number of quantiles")});
    static constexpr auto functions =
        std::tuple{tenon::function<&Quantiles::quantiles>("quantiles", "action", "quantiles"),
                   tenon::function<&Quantiles::values>("values", "", "action_value"),
                   tenon::function<&Quantiles::mode>("mode", "", "action action_value"),
                   tenon::function<&Quantiles::mode>("sample", "", "action action_value")};
};

}  // namespace mlp
