// SPDX-License-Identifier: Apache-2.0
// All metrics of a run at the resolution of a plot: neighbouring records share a bucket, which has their mean, least
// and greatest value. So the memory for a run does not grow with its records, and no spike disappears.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "folder/records/histograms.hpp"
#include "shared/history/history_reader.hpp"

namespace tenon {

enum class CurveAxis : std::uint8_t { kFrames, kUpdates, kSeconds };

struct CurveBucket {
    float mean, low, high;  // NaN: no record of the bucket has a value
};

// The values of one metric. Empty buckets are left out.
struct CurvePoints {
    std::vector<double> x;
    std::vector<CurveBucket> y;
};

class RunCurves {
public:
    static constexpr std::size_t kMostBuckets = 1024;

    RunCurves() = default;
    explicit RunCurves(const HistoryReader& history);

    // At most `most` points (at least one); none if the metric or the axis does not exist.
    [[nodiscard]] CurvePoints points(std::string_view metric, CurveAxis axis, std::size_t most) const;

    // The metrics that have a value in some record, with the latest one, in the order of a record.
    struct Latest {
        std::string metric;
        double value;
        bool in_histogram = false;
    };
    [[nodiscard]] const std::vector<Latest>& latest() const { return latest_; }
    // The histograms; their places are indices of latest().
    [[nodiscard]] const std::vector<HistogramMetrics>& histograms() const { return histograms_; }
    [[nodiscard]] const Latest* find(std::string_view metric) const;

    [[nodiscard]] std::size_t records() const { return records_; }
    [[nodiscard]] std::size_t per_bucket() const { return per_bucket_; }

private:
    std::size_t records_ = 0;
    std::size_t per_bucket_ = 1;
    std::vector<Latest> latest_;
    std::vector<HistogramMetrics> histograms_;
    std::vector<std::vector<CurveBucket>> buckets_;  // of each metric of latest_
    std::array<std::vector<double>, 3> axes_;        // at the last record of each bucket
};

}  // namespace tenon
