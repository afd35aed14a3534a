// SPDX-License-Identifier: Apache-2.0
// Maps actions between two numbers linearly to the env's bounds, element by element. The same as TorchRL's
// ActionScaling for the interval [-1, 1].
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct ActionScale {
    std::string column;
    double low;
    double high;
    tenon::Spec inner;

    static constexpr auto options = std::tuple{
        tenon::option<&ActionScale::column>("column", "action", "which action"),
        tenon::option<&ActionScale::low>("low", -1.0, "(-inf,inf)", "new lower bound of the action"),
        tenon::option<&ActionScale::high>("high", 1.0, "(-inf,inf)", "new upper bound of the action"),
    };

    void setup() const {
        if (low >= high) {
            throw tenon::InvalidArgument("option 'low' must be below option 'high'");
        }
    }

    tenon::Spec change(const tenon::Spec& spec) {
        const auto finite = [](const std::vector<double>& ends) { return std::isfinite(ends.front()); };
        if (spec.kind != TN_SPEC_BOUNDED || !finite(spec.low) || !finite(spec.high)) {
            throw tenon::InvalidArgument("column '" + spec.key + "' has no bounds to scale to");
        }
        inner = spec;
        return tenon::bounded(spec.key, spec.shape, low, high, spec.dtype);
    }

    [[nodiscard]] double invert(double x, std::size_t element) const {
        const std::size_t bound = inner.low.size() > 1 ? element : 0;
        return inner.low[bound] + (x - low) / (high - low) * (inner.high[bound] - inner.low[bound]);
    }
};
