// SPDX-License-Identifier: Apache-2.0
// Running means of the values that updates report, since the last record.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tenon {

struct Mean {
    double sum = 0;
    std::int64_t count = 0;

    void add(double value) {
        sum += value;
        ++count;
    }
    // Skips NaN, which marks a loss or norm that the update did not compute.
    void add_computed(double value) {
        if (!std::isnan(value)) {
            add(value);
        }
    }
    [[nodiscard]] double value() const {
        return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
    }
};

struct UpdateMeans {
    std::vector<Mean> losses;
    std::vector<Mean> metrics;  // of the update, of prepare, of conclude
    std::vector<Mean> gradient_norms;

    void forget() {
        for (auto* means : {&losses, &metrics, &gradient_norms}) {
            std::fill(means->begin(), means->end(), Mean{});
        }
    }
};

}  // namespace tenon
