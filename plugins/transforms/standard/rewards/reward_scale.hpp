// SPDX-License-Identifier: Apache-2.0
// Rewards times a factor, plus a constant. The same as TorchRL's RewardScaling(loc, scale).
#pragma once

#include <algorithm>
#include <string>

#include "tenon/transform.hpp"

struct RewardScale {
    std::string column;
    double factor;
    double offset;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardScale::column>("column", "reward", "which reward"),
        tenon::option<&RewardScale::factor>("factor", 0.1, "(0,inf)", "factor of rewards"),
        tenon::option<&RewardScale::offset>("offset", 0.0, "(-inf,inf)", "added after the factor"),
    };

    [[nodiscard]] double apply(double reward) const { return reward * factor + offset; }

    [[nodiscard]] tenon::Spec change(tenon::Spec spec) const {
        for (auto* bounds : {&spec.low, &spec.high}) {
            std::ranges::transform(*bounds, bounds->begin(), [&](double bound) { return apply(bound); });
        }
        return spec;
    }
};
