// SPDX-License-Identifier: Apache-2.0
// A histogram of a record as TensorBoard's message HistogramProto.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "folder/records/histograms.hpp"

namespace tenon {

// The counts of one histogram in a record: of values below its bins, in the bins, and above them. Values outside are
// drawn as one more bin on either side, because nothing more is known about them.
struct EventHistogram {
    EventHistogram(const HistogramMetrics& of, std::span<const double> counts);

    [[nodiscard]] std::size_t size() const;  // of the message, in bytes
    void put(std::string& out) const;        // allocates only when the string grows

    double low = 0;
    double width = 0;  // of a bin
    std::span<const double> counts;
    double number = 0;
    double sum = 0;  // as if all values were in the middle of their bins
    double sum_squares = 0;
};

}  // namespace tenon
