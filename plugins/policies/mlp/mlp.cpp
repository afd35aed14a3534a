// SPDX-License-Identifier: Apache-2.0
// Multi-layer perceptrons with the heads that most algorithms need.
#include "body.hpp"
#include "tenon/heads.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

using tenon::function;
using tenon::Graph;
using tenon::Value;

namespace {

// The value of every action of a categorical one; acts greedily. Values of forbidden actions are tenon::kForbidden, so
// that neither a mode nor an objective's maximum is one.
struct QValue : mlp::Body {
    [[nodiscard]] Value all(const Graph& g) const {
        const tn_spec* action = g.spec("action");
        if (action == nullptr) {
            return {};
        }
        if (action->kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("q_value needs a categorical action; mlp/q is for continuous ones");
        }
        return (*this)(g, action->categories[0]);
    }
    [[nodiscard]] Value values(const Graph& g) const { return tenon::only_allowed(g, all(g)); }
    [[nodiscard]] Value q(const Graph& g, Value action) const { return gather(all(g), action); }
    [[nodiscard]] std::array<Value, 2> mode(const Graph& g) const {
        const Value allowed = values(g);
        return {argmax(allowed), allowed};
    }

    static constexpr auto functions =
        std::tuple{function<&QValue::values>("values", "", "action_value"), function<&QValue::q>("q", "action", "q"),
                   function<&QValue::mode>("mode", "", "action action_value"),
                   function<&QValue::mode>("sample", "", "action action_value")};
};

// A distribution over the allowed actions of a categorical one.
struct Categorical : mlp::Body {
    [[nodiscard]] tenon::Categorical head(const Graph& g) const {
        const tn_spec* action = g.spec("action");
        if (action == nullptr) {
            return {};
        }
        if (action->kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument(
                "categorical needs a categorical action; mlp/tanh_normal is for continuous ones");
        }
        return {tenon::only_allowed(g, (*this)(g, action->categories[0]))};
    }
    [[nodiscard]] tenon::Draw sample(const Graph& g) const { return head(g).sample(); }
    [[nodiscard]] Value mode(const Graph& g) const { return head(g).mode(); }
    [[nodiscard]] Value log_prob(const Graph& g, Value action) const { return head(g).log_prob(action); }
    [[nodiscard]] Value entropy(const Graph& g) const { return head(g).entropy(); }

    static constexpr auto functions = std::tuple{function<&Categorical::sample>("sample", "", "action log_prob"),
                                                 function<&Categorical::mode>("mode", "", "action"),
                                                 function<&Categorical::log_prob>("log_prob", "action", "log_prob"),
                                                 function<&Categorical::entropy>("entropy", "", "entropy")};
};

// A normal per element of a bounded action, squashed by tanh into its bounds.
struct TanhNormal : mlp::Body {
    double scale_floor = 1e-4;

    [[nodiscard]] tenon::TanhNormal head(const Graph& g) const {
        const tn_spec* action = g.spec("action");
        if (action == nullptr) {
            return {};
        }
        if (action->kind != TN_SPEC_BOUNDED || action->rank != 1) {
            throw tenon::InvalidArgument("tanh_normal needs a bounded action of one dimension");
        }
        const std::int64_t n = action->shape[0];
        const Value out = (*this)(g, 2 * n);
        const auto bounds = tenon::bounds_of(*action);
        return {slice(out, 0, n), tenon::positive_scale(slice(out, n, n), scale_floor), bounds.low, bounds.high};
    }
    [[nodiscard]] tenon::Draw sample(const Graph& g) const { return head(g).sample(); }
    [[nodiscard]] Value mode(const Graph& g) const { return head(g).mode(); }
    [[nodiscard]] Value log_prob(const Graph& g, Value action) const { return head(g).log_prob(action); }

    static constexpr auto options =
        std::tuple_cat(mlp::Body::options, std::tuple{tenon::option<&TanhNormal::scale_floor>(
                                               "scale_floor", 1e-4, "(0,inf)", "the smallest standard deviation")});
    static constexpr auto functions = std::tuple{function<&TanhNormal::sample>("sample", "", "action log_prob"),
                                                 function<&TanhNormal::mode>("mode", "", "action"),
                                                 function<&TanhNormal::log_prob>("log_prob", "action", "log_prob")};
};

// The value of a state.
struct StateValue : mlp::Body {
    [[nodiscard]] Value value(const Graph& g) const { return squeeze((*this)(g, 1)); }

    static constexpr auto functions = std::tuple{function<&StateValue::value>("value", "", "value")};
};

// The value of a continuous action in a state.
struct Q : mlp::Body {
    [[nodiscard]] Value q(const Graph& g, Value action) const { return squeeze((*this)(g, 1, {action})); }

    static constexpr auto functions = std::tuple{function<&Q::q>("q", "action", "q")};
};

}  // namespace

TENON_PLUGIN("mlp", "0.1.0",
             tenon::policy_graph<QValue>("q_value", "values of all actions of a categorical one; acts greedily"),
             tenon::policy_graph<Categorical>("categorical", "a distribution over the actions of a categorical one"),
             tenon::policy_graph<TanhNormal>("tanh_normal", "a normal squashed into the bounds of a continuous action"),
             tenon::policy_graph<StateValue>("value", "the value of a state"),
             tenon::policy_graph<Q>("q", "the value of a continuous action in a state"));
