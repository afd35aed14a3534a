// SPDX-License-Identifier: Apache-2.0
// Actors with state-dependent noise: the last hidden layer's output times a random matrix that each lane keeps for an
// episode (heads/feature_noise.hpp). The defaults are those of Stable-Baselines3: of PPO and A2C for actions without
// bounds, and of SAC for actions with bounds.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "action.hpp"
#include "body.hpp"
#include "tenon/actor.hpp"
#include "tenon/heads/feature_noise.hpp"
#include "tenon/heads/normal.hpp"
#include "tenon/heads/tanh_normal.hpp"

namespace mlp {

template <bool kSquashes>
struct StateDependent : Body {
    double initial = 0;
    std::string deviations;
    bool learns_features = kSquashes;
    std::int64_t sample_freq = 0;
    double clip_mean = 0;

    using Head = std::conditional_t<kSquashes, tenon::TanhNormal, tenon::Normal>;

    [[nodiscard]] Head head(const tenon::Graph& g) const {
        const tn_spec* action = kSquashes ? action_for(g, "tanh_gsde", "a bounded action", 1)
                                          : action_for(g, "gsde", "an action without bounds", 1);
        if (action == nullptr) {
            return {};
        }
        const std::int64_t n = action->shape[0];
        const tenon::Value seen = features(g);
        const tenon::Value out = last(g, seen, n);
        Head head{};
        head.loc = clip_mean > 0 ? clamp(out, -clip_mean, clip_mean) : out;
        const tenon::FeatureNoise noise = feature_noise(g, seen, n,
                                                        {.initial_log_scale = initial,
                                                         .full = deviations == "full",
                                                         .learns_features = learns_features,
                                                         .sample_freq = sample_freq});
        head.scale = noise.scale;
        head.noise = noise.noise;
        if constexpr (kSquashes) {
            head.bounds = tenon::bounds_of(*action);
        }
        return head;
    }

    static constexpr auto options = std::tuple_cat(
        Body::options,
        std::tuple{
            tenon::option<&StateDependent::initial>("initial_log_scale", kSquashes ? -3.0 : 0.0, "(-inf,inf)",
                                                    "initial logarithm of the standard deviations of the noise matrix"),
            tenon::option<&StateDependent::deviations>(
                "deviations", "full", "full|feature",
                "number of standard deviations that are learnt: one per element of the matrix, or one per feature"),
            tenon::option<&StateDependent::learns_features>("learn_features", kSquashes,
                                                            "whether gradients of the noise reach the features"),
            tenon::option<&StateDependent::sample_freq>(
                "sample_freq", 0, "[0,inf)",
                "steps after which a lane draws its matrix again; 0: only at the start of an episode"),
            tenon::option<&StateDependent::clip_mean>("clip_mean", kSquashes ? 2.0 : 0.0, "[0,inf)",
                                                      "maximum magnitude of the mean before squashing; 0: no limit")});
};

using Gsde = StateDependent<false>;
using TanhGsde = StateDependent<true>;

}  // namespace mlp
