// SPDX-License-Identifier: Apache-2.0
// A deterministic action, mapped into its bounds by tanh (DDPG, TD3). A draw is the mode. It has no density, so no
// log_prob, entropy or kl.
#pragma once

#include <source_location>

#include "tenon/heads/action.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct TanhDelta {
    Value loc;  // [.., n], unbounded
    ActionBounds bounds;
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), bounds.squash(loc); }
    [[nodiscard]] Value mean() const { return detail::CalledFrom(at), mode(); }
};

}  // namespace TENON_SDK
}  // namespace tenon
