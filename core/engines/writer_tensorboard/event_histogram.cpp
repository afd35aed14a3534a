// SPDX-License-Identifier: Apache-2.0
#include "engines/writer_tensorboard/event_histogram.hpp"

#include <bit>
#include <cstdint>

#include "engines/writer_tensorboard/protobuf.hpp"

namespace tenon {
namespace {

using namespace protobuf;

// Fields of HistogramProto in tensorboard/compat/proto/histogram.proto (tensorflow/core/framework/summary.proto).
constexpr std::uint32_t kHistogramMin = 1;
constexpr std::uint32_t kHistogramMax = 2;
constexpr std::uint32_t kHistogramNumber = 3;
constexpr std::uint32_t kHistogramSum = 4;
constexpr std::uint32_t kHistogramSquares = 5;
constexpr std::uint32_t kHistogramLimits = 6;
constexpr std::uint32_t kHistogramCounts = 7;

// Fields that are zero are left out.
std::size_t size_of_double(double value) {
    return value == 0 ? 0 : 1 + sizeof value;
}

void put_unless_zero(std::string& out, std::uint32_t field, double value) {
    if (value != 0) {
        put_double(out, field, value);
    }
}

}  // namespace

EventHistogram::EventHistogram(const HistogramMetrics& of, std::span<const double> values)
    : low(of.low), width((of.high - of.low) / static_cast<double>(of.bins)), counts(values) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double middle = low + (static_cast<double>(i) - 0.5) * width;
        number += counts[i];
        sum += counts[i] * middle;
        sum_squares += counts[i] * middle * middle;
    }
}

std::size_t EventHistogram::size() const {
    const double most = low + static_cast<double>(counts.size() - 1) * width;
    const std::size_t list = counts.size() * sizeof(double);
    return size_of_double(low - width) + size_of_double(most) + size_of_double(number) + size_of_double(sum) +
           size_of_double(sum_squares) + 2 * (1 + varint_size(list) + list);
}

void EventHistogram::put(std::string& out) const {
    put_unless_zero(out, kHistogramMin, low - width);
    put_unless_zero(out, kHistogramMax, low + static_cast<double>(counts.size() - 1) * width);
    put_unless_zero(out, kHistogramNumber, number);
    put_unless_zero(out, kHistogramSum, sum);
    put_unless_zero(out, kHistogramSquares, sum_squares);
    put_key(out, kHistogramLimits, kBytes);
    put_varint(out, counts.size() * sizeof(double));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        put_number(out, std::bit_cast<std::uint64_t>(low + static_cast<double>(i) * width));
    }
    put_key(out, kHistogramCounts, kBytes);
    put_varint(out, counts.size() * sizeof(double));
    for (const double count : counts) {
        put_number(out, std::bit_cast<std::uint64_t>(count));
    }
}

}  // namespace tenon
