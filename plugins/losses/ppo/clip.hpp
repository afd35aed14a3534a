// SPDX-License-Identifier: Apache-2.0
// What an update gains by moving the ratio of an action's probabilities: clipped (Schulman et al. 2017, eq. 7), with a
// second limit for bad actions (Ye et al. 2020, eq. 5), or in proportion to the ratio (Schulman et al. 2017, eq. 6).
#pragma once

#include <string>
#include <tuple>

#include "reference.hpp"

namespace ppo {

struct Clip : Reference {
    std::string clip;
    double dual_clip = 0;

    // The gain of a ratio and an advantage `a`; eps is the clip range.
    [[nodiscard]] tenon::Value gain(const tenon::Value& ratio, const tenon::Value& a, const tenon::Value& eps) const {
        if (dual_clip > 0 && dual_clip <= 1) {
            throw tenon::InvalidArgument("dual_clip must be above 1, or 0 for none");
        }
        if (dual_clip > 0 && clip == "none") {
            throw tenon::InvalidArgument("dual_clip is a second limit of a clipped ratio: set clip = \"ratio\"");
        }
        if (clip == "none") {
            return ratio * a;
        }
        const tenon::Value clipped = min(ratio * a, clamp(ratio, 1 - eps, 1 + eps) * a);
        return dual_clip > 0 ? where(a < 0, max(clipped, dual_clip * a), clipped) : clipped;
    }

    static constexpr auto options = std::tuple_cat(
        Reference::options,
        std::tuple{
            tenon::option<&Clip::clip>("clip", "ratio", "ratio|none",
                                       "none: the ratio is not clipped, and clip_epsilon only counts clip_fraction"),
            tenon::live("clip_epsilon", 0.2, "(0,1]", "clip range of the ratio; can be scheduled"),
            tenon::option<&Clip::dual_clip>("dual_clip", 0.0, "[0,inf)",
                                            "largest ratio if advantage < 0; 0: no limit")});
};

}  // namespace ppo
