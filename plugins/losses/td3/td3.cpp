// SPDX-License-Identifier: Apache-2.0
// Twin delayed deterministic policy gradient (Fujimoto et al. 2018): critics learn from the smaller one of their target
// values at a smoothed action, and the actor follows the first critic's gradient less often. Both stages read the
// parameters as of the start of the update.
#include <cstdint>
#include <tuple>

#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/smoothed_critics.hpp"

namespace {

struct Td3 : tenon::SmoothedCritics {
    std::int64_t delay = 2;

    void update(const tenon::Graph& g) const {
        learn_critics(g);
        const auto batch = g.batch();
        g.stage("actor", {.owns = {"actor"}, .every = delay});
        g.rows("actor.gain", -tenon::pick(g.network("qvalue")(batch).q(g.network("actor")(batch).mode()), 0, "qvalue"));
    }

    static constexpr auto options = std::tuple_cat(
        tenon::SmoothedCritics::options,
        std::tuple{tenon::option<&Td3::delay>("policy_delay", 2, "[1,1000000]",
                                              "updates of the critics per update of the actor and its target")});
};

}  // namespace

TENON_PLUGIN("td3", "0.1.0", tenon::objective<Td3>("td3", "twin delayed deterministic policy gradient"));
