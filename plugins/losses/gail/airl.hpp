// SPDX-License-Identifier: Apache-2.0
// The discriminator of adversarial inverse reinforcement learning (Fu et al. 2018, arXiv 1710.11248). Its logit is
// f - log pi, where pi is the actor's probability of the action and f = r + gamma h(next) - h a reward r, shaped by a
// potential h. If the discriminator cannot tell the expert from the actor, f is the expert's advantage, and r the
// reward that explains it.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/graph_component.hpp"
#include "tenon/nets.hpp"
#include "tenon/options.hpp"
#include "tenon/row_columns.hpp"

namespace gail {

using tenon::Graph;
using tenon::Value;

struct Airl {
    std::vector<std::string> in;
    std::vector<std::string> potential_in;
    std::vector<std::int64_t> hidden;
    std::string activation;

    [[nodiscard]] Value reward(const Graph& g) const { return network(g, "reward", in, g.batch()); }

    // The reward with the potential.
    [[nodiscard]] Value shaped(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const Value then = (1 - next["terminated"]) * network(g, "potential", potential_in, next);
        return reward(g) + g.option("gamma") * then - network(g, "potential", potential_in, batch);
    }

    // The logit, which is also the reward of an actor that is to imitate: its mean has the actor's entropy in it.
    [[nodiscard]] Value value(const Graph& g) const {
        const auto actor = g.network("actor")(g.batch());
        return shaped(g) - stop_gradient(actor.log_prob(g.batch()["action"]));
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Airl::in>("in", {"observation", "action"}, "", "the columns that the reward depends on"),
        tenon::option<&Airl::potential_in>("potential_in", {"observation"}, "",
                                           "the columns that the potential depends on, before and after a step"),
        tenon::option<&Airl::hidden>("hidden", {64, 64}, "[1,1000000]", "sizes of the hidden layers of both networks"),
        tenon::option<&Airl::activation>("activation", "tanh", tenon::kActivations,
                                         "activation after each hidden layer"),
        tenon::live("gamma", 0.99, "[0,1]", "discount of the next potential; that of the objective of the actor")};
    static constexpr auto functions = std::tuple{tenon::function<&Airl::value>("value", "", "value"),
                                                 tenon::function<&Airl::reward>("reward", "", "reward"),
                                                 tenon::function<&Airl::shaped>("shaped", "", "reward")};

private:
    [[nodiscard]] Value network(const Graph& g, const std::string& name, const std::vector<std::string>& keys,
                                const tenon::Batch& batch) const {
        Value x = tenon::join(tenon::row_columns(g, batch, keys, "; let it read the features of a trunk"));
        for (std::size_t i = 0; i <= hidden.size(); ++i) {
            const bool last = i == hidden.size();
            x = tenon::dense(g, name + "." + std::to_string(i), x, last ? 1 : hidden[i],
                             tenon::default_init(tenon::last_size(x)));
            x = last ? squeeze(x) : tenon::activate(activation, x);
        }
        return x;
    }
};

}  // namespace gail
