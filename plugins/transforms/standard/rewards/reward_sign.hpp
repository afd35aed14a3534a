// SPDX-License-Identifier: Apache-2.0
// The sign of rewards: -1, 0 or 1. The same as TorchRL's SignTransform and the reward clipping of Mnih et al. 2015.
#pragma once

#include <algorithm>
#include <string>

#include "tenon/transform.hpp"

struct RewardSign {
    std::string column;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardSign::column>("column", "reward", "which reward"),
    };

    [[nodiscard]] static double apply(double reward) { return reward > 0 ? 1 : reward < 0 ? -1 : reward; }

    [[nodiscard]] static tenon::Spec change(const tenon::Spec& spec) {
        return tenon::bounded(spec.key, spec.shape, -1, 1, spec.dtype);
    }
};
