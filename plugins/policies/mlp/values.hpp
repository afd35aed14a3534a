// SPDX-License-Identifier: Apache-2.0
// Networks for the values of states and actions.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "action.hpp"
#include "body.hpp"
#include "choices.hpp"
#include "tenon/agents.hpp"
#include "tenon/graph_component.hpp"

namespace mlp {

// The value of every alternative of an action (choices.hpp); acts greedily. Values of forbidden ones are
// tenon::kForbidden, so that neither the mode nor an objective's maximum selects one.
struct QValue : Body {
    bool dueling = false;

    [[nodiscard]] tenon::Value all(const tenon::Graph& g, const Choices& choices) const {
        const std::int64_t n = choices.width();
        if (!dueling) {
            return (*this)(g, n);
        }
        if (choices.has_parts()) {
            throw tenon::InvalidArgument(
                "dueling compares the alternatives of one choice, but this env's action has several parts: remove "
                "dueling");
        }
        const tenon::Value out = (*this)(g, 1 + n);
        const tenon::Value advantage = slice(out, 1, n);
        return slice(out, 0, 1) + advantage - unsqueeze(mean(advantage));
    }
    [[nodiscard]] tenon::Value values(const tenon::Graph& g) const {
        const Choices choices = Choices::of(g);
        return choices.spec == nullptr ? tenon::Value{} : choices.allowed(g, all(g, choices));
    }
    [[nodiscard]] tenon::Value q(const tenon::Graph& g, tenon::Value action) const {
        const Choices choices = Choices::of(g);
        return choices.spec == nullptr ? tenon::Value{} : choices.value(all(g, choices), action);
    }
    [[nodiscard]] std::array<tenon::Value, 2> mode(const tenon::Graph& g) const {
        const Choices choices = Choices::of(g);
        if (choices.spec == nullptr) {
            return {};
        }
        const tenon::Value allowed = choices.allowed(g, all(g, choices));
        return {choices.best(allowed), allowed};
    }

    static constexpr auto options = std::tuple_cat(
        Body::options, Body::noise_options,
        std::tuple{tenon::option<&QValue::dueling>(
            "dueling", false, "", "dueling network: the value of the state plus the advantages of actions")});
    static constexpr auto functions = std::tuple{tenon::function<&QValue::values>("values", "", "action_value"),
                                                 tenon::function<&QValue::q>("q", "action", "q"),
                                                 tenon::function<&QValue::mode>("mode", "", "action action_value"),
                                                 tenon::function<&QValue::mode>("sample", "", "action action_value")};
};

// The value of a state. An objective may rescale it when it prepares batches: from then on its output is factor times
// what it was, plus shift.
struct StateValue : Body {
    [[nodiscard]] tenon::Value value(const tenon::Graph& g) const { return squeeze((*this)(g, 1)); }
    void rescale(const tenon::Graph& g, tenon::Value factor, tenon::Value shift) const {
        rescale_last(g, 1, factor, shift);
    }

    static constexpr auto functions = std::tuple{tenon::function<&StateValue::value>("value", "", "value"),
                                                 tenon::function<&StateValue::rescale>("rescale", "factor shift", "")};
};

// The quantiles, in no order, of the return of a continuous action in a state. Their mean is the action's value.
struct QQuantiles : Body {
    std::int64_t count = 25;

    [[nodiscard]] tenon::Value quantiles(const tenon::Graph& g, tenon::Value action) const {
        return (*this)(g, count, {action});
    }
    [[nodiscard]] tenon::Value q(const tenon::Graph& g, tenon::Value action) const {
        return mean(quantiles(g, action));
    }

    static constexpr auto options = std::tuple_cat(
        Body::options,
        std::tuple{tenon::option<&QQuantiles::count>("quantiles", 25, "[1,10000]", "number of quantiles")});
    static constexpr auto functions =
        std::tuple{tenon::function<&QQuantiles::quantiles>("quantiles", "action", "quantiles"),
                   tenon::function<&QQuantiles::q>("q", "action", "q")};
};

// The value of a continuous action in a state.
struct Q : Body {
    [[nodiscard]] tenon::Value q(const tenon::Graph& g, tenon::Value action) const {
        return squeeze((*this)(g, 1, {action}));
    }

    static constexpr auto options = std::tuple_cat(
        Body::options,
        std::tuple{tenon::option<&Q::before>("state_hidden", {}, "[1,1000000]",
                                             "sizes of the hidden layers before the action is concatenated")});
    static constexpr auto functions = std::tuple{tenon::function<&Q::q>("q", "action", "q")};
};

// The value of the continuous actions of all agents of a group together: the critic of MADDPG (Lowe et al. 2017).
struct JointQ : Body {
    [[nodiscard]] tenon::Value q(const tenon::Graph& g, tenon::Value action) const {
        const tenon::Value all = tenon::agents(action);
        return squeeze((*this)(g, 1, {tenon::sizes_of(all).size() > 1 ? tenon::flatten(all) : all}));
    }

    static constexpr auto options = Body::options;
    static constexpr auto functions = std::tuple{tenon::function<&JointQ::q>("q", "action", "q")};
};

}  // namespace mlp
