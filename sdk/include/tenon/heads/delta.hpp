// SPDX-License-Identifier: Apache-2.0
// One action and no other, in its bounds by tanh: deterministic policies (DDPG, TD3). Its draw is its mode. It has no
// density, and so no log_prob, entropy or kl.
#pragma once

#include <source_location>

#include "tenon/heads/action.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct TanhDelta {
    Value loc;  // [.., n], any numbers
    ActionBounds bounds;
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), bounds.squash(loc); }
    [[nodiscard]] Value mean() const { return detail::CalledFrom(at), mode(); }
};

}  // namespace TENON_SDK
}  // namespace tenon
