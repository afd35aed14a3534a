// SPDX-License-Identifier: Apache-2.0
// A choice in place of numbers between bounds, which are cut into intervals: one of them is chosen for each number. The
// same as TorchRL's ActionDiscretizer, whose names of strategies are those of `take` in capitals.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct ActionDiscretise {
    std::string column;
    std::vector<std::int64_t> intervals;
    std::string take;
    tenon::Spec inner;

    static constexpr auto options = std::tuple{
        tenon::option<&ActionDiscretise::column>("column", "action", "which action"),
        tenon::option<&ActionDiscretise::intervals>("intervals", {5}, "[1,1e6]",
                                                    "how many: one number, or one per element"),
        tenon::option<&ActionDiscretise::take>("take", "median", "median|low|high|random",
                                               "which number of the chosen interval the env gets"),
    };

    tenon::Spec change(const tenon::Spec& spec) {
        const bool is_real = spec.dtype == TN_F32 || spec.dtype == TN_F64;
        if (spec.kind != TN_SPEC_BOUNDED || spec.shape.size() > 1 || !is_real) {
            throw tenon::InvalidArgument("column '" + spec.key + "' is not a row of real numbers between bounds");
        }
        inner = spec;
        const auto size = static_cast<std::size_t>(spec.elements());
        for (auto* bounds : {&inner.low, &inner.high}) {
            bounds->resize(size, bounds->front());
            for (const double bound : *bounds) {
                if (!std::isfinite(bound)) {
                    throw tenon::InvalidArgument("column '" + spec.key + "' has no bounds to cut into intervals");
                }
            }
        }
        if (intervals.size() != 1 && intervals.size() != size) {
            throw tenon::InvalidArgument("option 'intervals' must have one number, or one for each of the " +
                                         std::to_string(size) + " elements of '" + spec.key + "'");
        }
        intervals.resize(size, intervals.front());
        return size == 1 ? tenon::categorical(spec.key, intervals[0]) : tenon::multi_categorical(spec.key, intervals);
    }

    // How far into the interval, as a part of it.
    double part(tenon::Rng& rng) const {
        return take == "median" ? 0.5 : take == "low" ? 0 : take == "high" ? 1 : rng.uniform();
    }

    void invert(std::span<const std::byte> outer, std::span<std::byte> real, tenon::Rng& rng) const {
        tenon::with_dtype(inner.dtype, [&](auto zero) {
            for (std::size_t i = 0; i < intervals.size(); ++i) {
                std::int64_t choice = 0;
                std::memcpy(&choice, &outer[i * sizeof choice], sizeof choice);
                const double share = (static_cast<double>(choice) + part(rng)) / static_cast<double>(intervals[i]);
                const double x = inner.low[i] + share * (inner.high[i] - inner.low[i]);
                const auto one = static_cast<decltype(zero)>(std::min(x, inner.high[i]));
                std::memcpy(&real[i * sizeof one], &one, sizeof one);
            }
        });
    }
};
