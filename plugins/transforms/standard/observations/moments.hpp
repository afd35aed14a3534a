// SPDX-License-Identifier: Apache-2.0
// Number, mean and sum of squared deviations of rows, updated row by row (Welford) and merged (Chan, Golub, LeVeque),
// so that the result depends only on the order of merging.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenon/state.hpp"

struct Moments {
    Moments() = default;
    explicit Moments(std::size_t size) : mean(size), squares(size) {}

    std::int64_t rows = 0;
    std::vector<double> mean;
    std::vector<double> squares;

    // Adds the elements of a row of `size`, in order.
    void add(std::size_t element, std::size_t size, double x) {
        if (element == 0 && rows++ == 0) {
            mean.assign(size, 0);
            squares.assign(size, 0);
        }
        const double off = x - mean[element];
        mean[element] += off / static_cast<double>(rows);
        squares[element] += off * (x - mean[element]);
    }

    // Adds the rows of another object and clears it.
    void take(Moments& other) {
        if (other.rows == 0) {
            return;
        }
        const auto before = static_cast<double>(rows);
        const auto more = static_cast<double>(std::exchange(other.rows, 0));
        rows += static_cast<std::int64_t>(more);
        for (std::size_t i = 0; i < mean.size(); ++i) {
            const double off = other.mean[i] - mean[i];
            mean[i] += off * (more / (before + more));
            squares[i] += other.squares[i] + off * off * before * (more / (before + more));
        }
    }

    // Throws if the saved state has rows of another size.
    void state(tenon::Archive& archive) {
        const std::size_t size = mean.size();
        archive(rows, mean, squares);
        if (rows < 0 || mean.size() != size || squares.size() != size) {
            throw tenon::DataLoss("saved statistics do not fit a column of " + std::to_string(size) + " elements");
        }
    }
};
