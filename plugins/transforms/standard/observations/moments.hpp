// SPDX-License-Identifier: Apache-2.0
// Number, mean and sum of squared deviations of rows, updated row by row (Welford) and merged (Chan, Golub, LeVeque),
// so that the result depends only on the order of merging. Earlier rows may weigh less with every row that follows.
#pragma once

#include <cmath>
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
    double weight = 0;  // of all rows together; their number if none weighs less
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

    // Adds the rows of another object and clears it. Each row multiplies the weight of those before it by `decay`; rows
    // that are added together have the same weight, as in TorchRL's VecNormV2.
    void take(Moments& other, double decay = 1) {
        if (other.rows == 0) {
            return;
        }
        const auto count = static_cast<double>(other.rows);
        const double kept = decay == 1 ? 1 : std::pow(decay, count);
        const double each = decay == 1 ? 1 : (1 - kept) / (1 - decay) / count;  // 1, decay, decay^2, ... on average
        const double before = weight * kept;
        const double more = count * each;
        rows += std::exchange(other.rows, 0);
        weight = before + more;
        for (std::size_t i = 0; i < mean.size(); ++i) {
            const double off = other.mean[i] - mean[i];
            const double between = off * off * before * (more / weight);
            mean[i] += off * (more / weight);
            squares[i] = squares[i] * kept + (other.squares[i] * each + between);
        }
    }

    [[nodiscard]] double std(std::size_t element) const { return std::sqrt(squares[element] / weight); }

    // What a lane has seen: nothing else of it matters if there are no rows.
    void part(tenon::Archive& archive) {
        archive(rows);
        if (rows > 0) {
            archive(mean, squares);
        }
    }

    // Throws if the saved state has rows of another size. The weight is saved only where it is not the number of rows.
    void state(tenon::Archive& archive, double decay = 1) {
        const std::size_t size = mean.size();
        archive(rows, mean, squares);
        if (rows < 0 || mean.size() != size || squares.size() != size) {
            throw tenon::DataLoss("saved statistics do not fit a column of " + std::to_string(size) +
                                  (size == 1 ? " element" : " elements"));
        }
        if (decay == 1) {
            weight = static_cast<double>(rows);
        } else {
            archive(weight);
        }
    }
};
