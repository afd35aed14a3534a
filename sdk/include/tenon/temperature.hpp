// SPDX-License-Identifier: Apache-2.0
// The entropy coefficient of soft actor-critics (Haarnoja et al. 2018), fixed or learnt to reach a target entropy. An
// objective derives from it, lists its options among its own, and ends with learn().
#pragma once

#include <cmath>
#include <source_location>
#include <tuple>

#include "tenon/build.hpp"
#include "tenon/objective.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Temperature {
    double first_alpha = 1;
    bool learns_alpha = true;

    [[nodiscard]] Value log_alpha(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        return g.parameter("log_alpha", {}, constant(std::log(first_alpha)));
    }
    [[nodiscard]] Value alpha(const Graph& g, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        return stop_gradient(exp(log_alpha(g)));
    }

    // Adds the stage "temperature", due every `every` updates, if the coefficient is learnt; log_prob is of a
    // continuous action.
    void learn(const Graph& g, Value log_prob, Value action, std::int64_t every = 1,
               std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        aim(g, log_prob, g.option("target_entropy") * static_cast<double>(last_size(action)), every);
    }
    // The same with a given target entropy.
    void aim(const Graph& g, Value log_prob, Value entropy, std::int64_t every = 1,
             std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        if (learns_alpha) {
            g.stage("temperature", {.owns = {"objective"}, .every = every});
            g.rows("temperature.alpha", -log_alpha(g) * stop_gradient(log_prob + entropy));
        }
        g.metric("alpha", alpha(g));
        g.metric("entropy", -batch_mean(log_prob));
    }

    static constexpr auto alpha_options =
        std::tuple{option<&Temperature::first_alpha>("alpha", 1.0, "(0,inf)",
                                                     "the temperature; its initial value if it is learnt"),
                   option<&Temperature::learns_alpha>("learn_alpha", true, "", "whether the temperature is learnt")};
    static constexpr auto options = std::tuple_cat(
        std::tuple{live("target_entropy", -1.0, "", "target entropy of the temperature, per element of the action")},
        alpha_options);
};

}  // namespace TENON_SDK
}  // namespace tenon
