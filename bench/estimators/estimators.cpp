// SPDX-License-Identifier: Apache-2.0
// The estimators of tenon/estimators.hpp, each as what an objective does with a collected batch, without the networks.
#include "tenon/estimators.hpp"

#include <tuple>

#include "tenon/graph_component.hpp"
#include "tenon/plugin.hpp"

namespace {

using tenon::Graph;

struct Discount {
    static constexpr auto options = std::tuple{tenon::live("gamma", 0.99, "[0,1]", "discount of the next value")};
};

struct Trace {
    static constexpr auto options =
        std::tuple_cat(Discount::options, std::tuple{tenon::live("lambda", 0.95, "[0,1]", "decay of the trace")});
};

// Advantages and returns, which are what an update reads.
struct Gae : Trace {
    void prepare(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto value = batch["value"];
        const auto advantage = gae(next["reward"], value, next["value"], next["terminated"], next["done"],
                                   g.option("gamma"), g.option("lambda"));
        g.write("advantage", advantage);
        g.write("value_target", advantage + value);
    }
    static constexpr auto functions = std::tuple{tenon::function<&Gae::prepare>("prepare", "", "")};
};

struct TdLambda : Trace {
    void prepare(const Graph& g) const {
        const auto next = g.batch().next();
        g.write("value_target", td_lambda(next["reward"], next["value"], next["terminated"], next["done"],
                                          g.option("gamma"), g.option("lambda")));
    }
    static constexpr auto functions = std::tuple{tenon::function<&TdLambda::prepare>("prepare", "", "")};
};

struct Vtrace : Discount {
    void prepare(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto ratio = exp(batch["log_prob"] - batch["behaviour.log_prob"]), clipped = min(ratio, 1.0);
        g.write("value_target", vtrace(next["reward"], batch["value"], next["value"], next["terminated"], next["done"],
                                       clipped, clipped, g.option("gamma")));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Vtrace::prepare>("prepare", "", "")};
};

struct RewardToGo : Discount {
    void prepare(const Graph& g) const {
        const auto next = g.batch().next();
        g.write("value_target", reward_to_go(next["reward"], next["done"], g.option("gamma")));
    }
    static constexpr auto functions = std::tuple{tenon::function<&RewardToGo::prepare>("prepare", "", "")};
};

template <class T>
consteval auto estimator(const char* id, const char* help) {
    return tenon::component<tenon::GraphComponent<T>, T>(id, "objective", help);
}

}  // namespace

TENON_PLUGIN("estimators", "0.1.0", estimator<Gae>("gae", "generalised advantage estimation and its returns"),
             estimator<TdLambda>("td_lambda", "returns of all lengths, weighted by lambda"),
             estimator<Vtrace>("vtrace", "returns of another policy's steps"),
             estimator<RewardToGo>("reward_to_go", "discounted rewards"));
