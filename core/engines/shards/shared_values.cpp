// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shared_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {
namespace {

struct Moments {
    double mean = 0;
    double squares = 0;  // the sum of squared deviations from the mean
};

Moments moments_of(std::span<const double> rows) {
    Moments out;
    for (const double row : rows) {
        out.mean += row;
    }
    out.mean /= static_cast<double>(rows.size());
    for (const double row : rows) {
        out.squares += (row - out.mean) * (row - out.mean);
    }
    return out;
}

// The deviation over groups of equal size (Chan et al. 1979), of which `told` has the moments.
double deviation_of(std::span<const double> told, double rows) {
    const std::size_t groups = told.size() / 2;
    double mean = 0;
    for (std::size_t i = 0; i < groups; ++i) {
        mean += told[2 * i];
    }
    mean /= static_cast<double>(groups);
    double squares = 0;
    for (std::size_t i = 0; i < groups; ++i) {
        squares += told[2 * i + 1] + rows * (told[2 * i] - mean) * (told[2 * i] - mean);
    }
    const double all = rows * static_cast<double>(groups);
    return all > 1 ? std::sqrt(squares / (all - 1)) : 0;
}

// As the operation batch_quantile computes it.
double quantile_of(std::span<double> rows, double share) {
    if (std::ranges::any_of(rows, [](double row) { return std::isnan(row); })) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(rows.size() - 1);
    const auto below = rows.begin() + static_cast<std::ptrdiff_t>(at);
    std::ranges::nth_element(rows, below);
    const double part = at - std::floor(at);
    if (part == 0) {
        return *below;
    }
    return *below + part * (*std::ranges::min_element(below + 1, rows.end()) - *below);
}

}  // namespace

std::size_t told_by(OfRows what, std::size_t rows, std::size_t shards) {
    switch (what) {
        case OfRows::kDeviation:
            return 2 * shards;
        case OfRows::kQuantile:
            return rows * shards;
        case OfRows::kSum:
        case OfRows::kMean:
            return 1;
        case OfRows::kCount:
            break;
    }
    return 0;
}

void tell_rows(OfRows what, std::span<const double> rows, const OwnPlace& own, std::span<double> told) {
    std::ranges::fill(told, 0.0);
    if (what == OfRows::kQuantile) {
        std::ranges::copy(rows, told.begin() + static_cast<std::ptrdiff_t>(own.shard * rows.size()));
    } else if (what == OfRows::kDeviation) {
        const Moments moments = moments_of(rows);
        told[2 * own.shard] = moments.mean;
        told[2 * own.shard + 1] = moments.squares;
    } else {
        for (const double row : rows) {
            told.front() += row;
        }
    }
}

double value_of_all(OfRows what, double share, std::span<double> summed, std::size_t rows, std::size_t shards) {
    const auto count = static_cast<double>(rows);
    switch (what) {
        case OfRows::kSum:
            return summed.front();
        case OfRows::kMean:
            return summed.front() / (count * static_cast<double>(shards));
        case OfRows::kDeviation:
            return deviation_of(summed, count);
        case OfRows::kQuantile:
            return quantile_of(summed, share);
        case OfRows::kCount:
            break;
    }
    return count * static_cast<double>(shards);
}

}  // namespace tenon
