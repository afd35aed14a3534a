// SPDX-License-Identifier: Apache-2.0
// What a run measures, as one row of numbers in the order of measured_names: for records and for hooks.
#pragma once

#include <cstdint>
#include <span>

#include "train/collect/score.hpp"

namespace tenon {

class Trainer;

enum class Measure : std::uint8_t {
    kMeans,   // of updates: their mean since the last record. What has not been measured is NaN
    kNewest,  // of updates: the newest one. What has not been measured stays as it is in the row
};

// Fills a row. scores: of the evaluations at this position, or none.
void measure(const Trainer& trainer, std::span<const Score> scores, Measure what, std::span<double> row);

}  // namespace tenon
