// SPDX-License-Identifier: Apache-2.0
// Values that updates report: their mean since the last record, and the newest one.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tenon {

struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    double newest = std::numeric_limits<double>::quiet_NaN();  // NaN: none in this process

    void add(double value) {
        sum += value;
        ++count;
        newest = value;
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
            for (Mean& mean : *means) {
                mean = {.newest = mean.newest};
            }
        }
    }
};

}  // namespace tenon
