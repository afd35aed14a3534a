// SPDX-License-Identifier: Apache-2.0
// Rewards as 1 or 0: whether they are above a number. The same as TorchRL's BinarizeReward for 0, but of the reward's
// own type.
#pragma once

#include <string>

#include "tenon/transform.hpp"

struct RewardBinarise {
    std::string column;
    double above;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardBinarise::column>("column", "reward", "which reward"),
        tenon::option<&RewardBinarise::above>("above", 0.0, "(-inf,inf)", "higher rewards become 1, all others 0"),
    };

    [[nodiscard]] double apply(double reward) const { return reward > above ? 1 : 0; }

    [[nodiscard]] static tenon::Spec change(const tenon::Spec& spec) {
        return tenon::bounded(spec.key, spec.shape, 0, 1, spec.dtype);
    }
};
