// SPDX-License-Identifier: Apache-2.0
// One action and no other, in its bounds by tanh: deterministic policies (DDPG, TD3). Its draw is its mode. It has no
// density, and so no log_prob, entropy or kl.
#pragma once

#include "tenon/heads/action.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct TanhDelta {
    Value loc;  // [.., n], any numbers
    ActionBounds bounds;

    [[nodiscard]] Value mode() const { return bounds.squash(loc); }
    [[nodiscard]] Value mean() const { return mode(); }
};

}  // namespace TENON_SDK
}  // namespace tenon
