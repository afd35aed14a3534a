// SPDX-License-Identifier: Apache-2.0
// The critics of TD3 (Fujimoto et al. 2018) and of algorithms derived from it: an ensemble "qvalue" that learns from
// the smallest target value of the target actor's next action, smoothed by noise. An objective derives from it and
// lists its options among its own.
#pragma once

#include <source_location>
#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/heads.hpp"
#include "tenon/options.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct SmoothedCritics {
    std::string kind;

    // The stage "critic".
    void learn_critics(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Batch batch = g.batch();
        const Batch next = batch.next();
        const Network q = g.network("qvalue");
        g.stage("critic", {.owns = {"qvalue"}});
        const Value action = smoothed(g, g.network("actor").target()(next).mode());
        const Value next_value = smallest("qvalue", q.target()(next).q(action));
        const Value chosen = q(batch).q(batch["action"]);
        const Value error = critic_rows(g, kind, chosen, bootstrapped(g, next_value));
        g.metric("q_value", batch_mean(mean_members(chosen)));
        g.metric("td_error", batch_mean(mean_members(abs(error))));
    }

    // The action plus clipped normal noise, clamped to the action's bounds; the noise is in units of half the range.
    static Value smoothed(const Graph& g, Value action, std::source_location at = std::source_location::current()) {
        const detail::CalledFrom caller(at);
        const tn_spec* const spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        finite_bounds_of(*spec, "it needs bounds to add noise to actions");
        const Value limit = g.option("noise_clip");
        return moved(action, clamp(g.option("policy_noise") * random_normal(action), -limit, limit), *spec);
    }

    static constexpr auto options =
        std::tuple{live("gamma", 0.99, "[0,1]", "discount of the next value"),
                   live("policy_noise", 0.2, "[0,inf)",
                        "standard deviation of the noise on next actions, in halves of the range between their bounds"),
                   live("noise_clip", 0.5, "[0,inf)", "largest magnitude of the noise, in the same unit"),
                   option<&SmoothedCritics::kind>("loss", "huber", kDistances, "distance of a value from its target")};
};

}  // namespace TENON_SDK
}  // namespace tenon
