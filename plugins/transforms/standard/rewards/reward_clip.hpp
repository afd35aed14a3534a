// SPDX-License-Identifier: Apache-2.0
// Clips rewards to two bounds. The same as TorchRL's RewardClipping(clamp_min, clamp_max).
#pragma once

#include <algorithm>
#include <string>

#include "tenon/transform.hpp"

struct RewardClip {
    std::string column;
    double low;
    double high;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardClip::column>("column", "reward", "which reward"),
        tenon::option<&RewardClip::low>("low", -1.0, "(-inf,inf)", "lower rewards become this"),
        tenon::option<&RewardClip::high>("high", 1.0, "(-inf,inf)", "higher rewards become this"),
    };

    void setup() const {
        if (low >= high) {
            throw tenon::InvalidArgument("option 'low' must be below option 'high'");
        }
    }

    [[nodiscard]] double apply(double reward) const { return std::clamp(reward, low, high); }

    [[nodiscard]] tenon::Spec change(const tenon::Spec& spec) const {
        tenon::Spec out = tenon::bounded(spec.key, spec.shape, low, high, spec.dtype);
        if (spec.kind == TN_SPEC_BOUNDED) {
            out.low = spec.low;
            out.high = spec.high;
        }
        for (auto* bounds : {&out.low, &out.high}) {
            std::ranges::transform(*bounds, bounds->begin(), [&](double bound) { return apply(bound); });
        }
        return out;
    }
};
