// SPDX-License-Identifier: Apache-2.0
// The statistics of a column, and the numbers by which it is normalised: none before enough rows were seen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "observations/moments.hpp"

struct Normalisation {
    Normalisation() = default;
    explicit Normalisation(std::size_t size) : seen(size), mean(size, 0), std(size, 1) {}

    Moments seen;
    std::vector<double> mean;
    std::vector<double> std;

    void update(double least_std, std::int64_t warm_up) {
        if (seen.rows == 0 || seen.rows < warm_up) {
            return;
        }
        mean = seen.mean;
        for (std::size_t i = 0; i < std.size(); ++i) {
            std[i] = std::max(seen.std(i), least_std);
        }
    }
};
