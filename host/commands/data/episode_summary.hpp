// SPDX-License-Identifier: Apache-2.0
// Returns and lengths of recorded episodes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "experience/replay/storage.hpp"

namespace tenon {

// Running statistics of numbers; NaNs are counted apart.
struct NumberStats {
    std::uint64_t count = 0;
    std::uint64_t nans = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double mean = 0;
    double squares = 0;  // sum of squared differences from the mean

    void add(double value);
    [[nodiscard]] double std() const;  // population standard deviation
};

struct EpisodeSummary {
    std::uint64_t whole = 0;  // episodes with their first and last transitions
    std::uint64_t pieces = 0;
    std::uint64_t terminated = 0;
    std::uint64_t truncated = 0;
    std::vector<double> returns;  // of whole episodes, in the order in which they begin
    std::vector<double> lengths;
    NumberStats of_returns;
    NumberStats of_lengths;
};

// Returns are sums of the column "reward"; there are none if it is missing or has more than one number a frame.
EpisodeSummary summarise_episodes(const Storage& storage);

// A number of a column's row.
double number_at(const StorageColumn& column, const void* row, std::size_t element);

}  // namespace tenon
