// SPDX-License-Identifier: Apache-2.0
// Histograms among the metrics of a run, recognised by their names: P/below/LOW, P/bin/0, ..., P/bin/N-1 and
// P/above/HIGH, in this order. They count the values in N bins of equal width between LOW and HIGH, and those
// outside.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tenon {

struct HistogramMetrics {
    std::string name;  // P: "hook/rewards"
    double low = 0;
    double high = 0;
    std::size_t first = 0;  // the place of P/below/LOW in the names
    std::size_t bins = 0;   // the other places follow: bins + 2 in all

    [[nodiscard]] std::size_t end() const { return first + bins + 2; }
};

// The histograms, in the order of their names. A metric that only looks like a part of one belongs to none.
std::vector<HistogramMetrics> histograms_in(std::span<const std::string> names);

// For each name, whether it belongs to a histogram.
std::vector<bool> in_histograms(std::span<const std::string> names);

}  // namespace tenon
