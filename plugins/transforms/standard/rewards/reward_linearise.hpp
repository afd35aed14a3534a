// SPDX-License-Identifier: Apache-2.0
// A reward of several numbers as one: their weighted sum. The same as TorchRL's LineariseRewards.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct RewardLinearise {
    std::string column;
    std::vector<double> weights;
    std::int32_t dtype = TN_F32;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardLinearise::column>("column", "reward", "which reward"),
        tenon::option<&RewardLinearise::weights>("weights", {1.0}, "(-inf,inf)",
                                                 "of the numbers of the reward: one each, or one for all"),
    };

    tenon::Spec change(tenon::Spec spec) {
        const auto size = static_cast<std::size_t>(spec.elements());
        const bool is_real = spec.dtype == TN_F32 || spec.dtype == TN_F64;
        if (spec.role != TN_ROLE_REWARD || spec.shape.size() != 1 || !is_real) {
            throw tenon::InvalidArgument("column '" + spec.key + "' is not a reward of several numbers");
        }
        if (weights.size() != 1 && weights.size() != size) {
            throw tenon::InvalidArgument("option 'weights' must have one number, or one for each of the " +
                                         std::to_string(size) + " numbers of '" + spec.key + "'");
        }
        weights.resize(size, weights.front());
        dtype = spec.dtype;
        spec.shape.clear();
        if (!spec.low.empty()) {
            const std::vector<double> low = spec.low;
            const std::vector<double> high = spec.high;
            spec.low = spec.high = {0};
            for (std::size_t i = 0; i < size; ++i) {
                const std::size_t at = low.size() > 1 ? i : 0;
                const bool falls = weights[i] < 0;
                spec.low[0] += weights[i] == 0 ? 0 : weights[i] * (falls ? high[at] : low[at]);
                spec.high[0] += weights[i] == 0 ? 0 : weights[i] * (falls ? low[at] : high[at]);
            }
        }
        return spec;
    }

    void apply(std::span<const std::byte> in, std::span<std::byte> out) const {
        tenon::with_dtype(dtype, [&](auto zero) {
            double sum = 0;
            for (std::size_t i = 0; i < weights.size(); ++i) {
                auto one = zero;
                std::memcpy(&one, &in[i * sizeof one], sizeof one);
                sum += weights[i] * static_cast<double>(one);
            }
            const auto all = static_cast<decltype(zero)>(sum);
            std::memcpy(out.data(), &all, sizeof all);
        });
    }
};
