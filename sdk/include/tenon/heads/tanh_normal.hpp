// SPDX-License-Identifier: Apache-2.0
// A normal distribution, squashed by tanh and scaled to the action's bounds.
#pragma once

#include <array>
#include <numbers>
#include <source_location>

#include "tenon/heads/action.hpp"
#include "tenon/heads/normal.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The log_prob of a draw is computed from the value before tanh, so it is finite even if rounding puts the action on a
// bound. A stored action is first moved inside its bounds by 1e-6.
struct TanhNormal {
    Value loc;    // [.., n]
    Value scale;  // [.., n] or [n], positive
    ActionBounds bounds;
    Value noise = {};  // standard normal numbers for a draw; if empty, new ones
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), bounds.squash(loc); }
    [[nodiscard]] Draw sample() const { return draw(noise.id != 0 ? noise : random_normal(loc)); }
    [[nodiscard]] Value log_prob(In action) const {
        const detail::CalledFrom caller(at);
        const Value inside = clamp((action - bounds.low) / bounds.half() - 1, -1 + 1e-6, 1 - 1e-6);
        const Value pre = 0.5 * (log1p(inside) - log1p(-inside));
        return density((pre - loc) / scale, pre);
    }
    // There is no closed form: an unbiased estimate from one draw.
    [[nodiscard]] Value entropy() const { return -draw(random_normal(loc, "entropy")).log_prob; }
    // Squashing both distributions in the same way does not change their divergence.
    [[nodiscard]] Value kl(const TanhNormal& other) const {
        return detail::CalledFrom(at), Normal{loc, scale}.kl(Normal{other.loc, other.scale});
    }

    static constexpr std::array kStored = {Stored{"action_loc", &TanhNormal::loc},
                                           Stored{"action_scale", &TanhNormal::scale}};

private:
    [[nodiscard]] Draw draw(Value drawn) const {
        const detail::CalledFrom caller(at);
        const Value pre = loc + scale * drawn;
        return {bounds.squash(pre), density(drawn, pre)};
    }
    // log N(drawn; 0, 1) - log scale - log of the derivatives of tanh and of the scaling. log(1 - tanh(x)^2) is
    // computed as 2 (log 2 - x - softplus(-2 x)), which does not cancel.
    [[nodiscard]] Value density(Value drawn, Value pre) const {
        const Value slope = 2 * (std::numbers::ln2 - pre - softplus(-2 * pre));
        return sum(standard_log_density(drawn) - log(scale) - slope - log(bounds.half()));
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
