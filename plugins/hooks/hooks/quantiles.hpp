// SPDX-License-Identifier: Apache-2.0
// How the values of a column are distributed: its quantiles over all elements of each round's frames, between two
// values by linear interpolation as numpy.quantile does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/hook.hpp"

struct Quantiles {
    std::string column;

    static constexpr auto options =
        std::tuple{tenon::option<&Quantiles::column>("column", "next.reward", "the column of collected frames")};

    [[nodiscard]] tenon::HookPlan plan() const {
        return {.columns = {column}, .metrics = {"min", "p25", "median", "p75", "max"}};
    }

    void collected(const tenon::HookCall& run) const {
        const tenon::HookFrames round = run.round();
        const std::size_t elements = round.elements(0);
        values_.clear();
        round.each([&](tenon::SlotLane at) {
            for (std::size_t element = 0; element < elements; ++element) {
                const double value = round.value(0, at, element);
                if (std::isfinite(value)) {
                    values_.push_back(value);
                }
            }
        });
        if (values_.empty()) {
            return;
        }
        std::sort(values_.begin(), values_.end());
        constexpr std::array kShares = {0.0, 0.25, 0.5, 0.75, 1.0};
        for (std::size_t i = 0; i < kShares.size(); ++i) {
            run.report(i, at_share(kShares[i]));
        }
    }

private:
    [[nodiscard]] double at_share(double share) const {
        const double position = share * static_cast<double>(values_.size() - 1);
        const auto below = static_cast<std::size_t>(position);
        const double rest = position - static_cast<double>(below);
        return rest > 0 ? std::lerp(values_[below], values_[below + 1], rest) : values_[below];
    }

    mutable std::vector<double> values_;  // of one round
};
