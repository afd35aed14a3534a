// SPDX-License-Identifier: Apache-2.0
// TD3+BC (Fujimoto and Gu 2021): TD3 on stored data, with an actor that stays close to the data's actions. Both stages
// read the parameters as of the start of the update.
#include <cstdint>
#include <tuple>

#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/smoothed_critics.hpp"

namespace {

struct Td3Bc : tenon::SmoothedCritics {
    std::int64_t delay = 2;

    void update(const tenon::Graph& g) const {
        learn_critics(g);
        const auto batch = g.batch();
        const auto action = g.network("actor")(batch).mode();
        const auto value = tenon::pick(g.network("qvalue")(batch).q(action), 0, "qvalue");
        const auto weight = stop_gradient(g.option("alpha") / max(batch_mean(abs(value)), 1e-12));
        g.stage("actor", {.owns = {"actor"}, .every = delay});
        g.rows("actor.gain", -weight * value);
        g.rows("actor.clone", mean(square(action - batch["action"])));
    }

    static constexpr auto options = std::tuple_cat(
        tenon::SmoothedCritics::options,
        std::tuple{tenon::live("alpha", 2.5, "[0,inf)",
                               "weight of the value, relative to its mean magnitude, against cloning"),
                   tenon::option<&Td3Bc::delay>("policy_delay", 2, "[1,1000000]",
                                                "updates of the critics per update of the actor and its target")});
};

}  // namespace

TENON_PLUGIN("td3_bc", "0.1.0", tenon::objective<Td3Bc>("td3_bc", "TD3 that stays near the actions of its data"));
