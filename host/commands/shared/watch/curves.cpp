// SPDX-License-Identifier: Apache-2.0
#include "shared/watch/curves.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace tenon {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr std::array<std::string_view, 3> kAxes = {"frames", "train/n_updates", "time/time_elapsed"};

CurveBucket bucket_of(std::span<const double> values) {
    double sum = 0, low = 0, high = 0;
    std::size_t count = 0;
    for (const double value : values) {
        if (!std::isnan(value)) {
            low = count == 0 ? value : std::min(low, value);
            high = count == 0 ? value : std::max(high, value);
            sum += value;
            ++count;
        }
    }
    if (count == 0) {
        return {kNone, kNone, kNone};
    }
    return {static_cast<float>(sum / static_cast<double>(count)), static_cast<float>(low), static_cast<float>(high)};
}

std::vector<CurveBucket> buckets_of(std::span<const double> column, std::size_t per_bucket) {
    std::vector<CurveBucket> out;
    out.reserve((column.size() + per_bucket - 1) / per_bucket);
    for (std::size_t at = 0; at < column.size(); at += per_bucket) {
        out.push_back(bucket_of(column.subspan(at, std::min(per_bucket, column.size() - at))));
    }
    return out;
}

// The axis of a curve. A record without this number has that of the record before it, because an axis has no gaps.
std::vector<double> axis_of(std::span<const double> column, std::size_t per_bucket) {
    std::vector<double> out;
    double latest = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
        latest = std::isnan(column[i]) ? latest : column[i];
        if ((i + 1) % per_bucket == 0 || i + 1 == column.size()) {
            out.push_back(latest);
        }
    }
    return out;
}

}  // namespace

RunCurves::RunCurves(const HistoryReader& history) : records_(history.records()) {
    while (records_ > per_bucket_ * kMostBuckets) {
        per_bucket_ *= 2;
    }
    for (const std::string& name : history.names()) {
        const std::span<const double> column = history.column(name);
        const auto last = std::find_if(column.rbegin(), column.rend(), [](double value) { return !std::isnan(value); });
        if (last != column.rend()) {
            latest_.push_back({.metric = name, .value = *last});
            buckets_.push_back(buckets_of(column, per_bucket_));
        }
    }
    std::vector<std::string> names;
    std::ranges::transform(latest_, std::back_inserter(names), &Latest::metric);
    histograms_ = histograms_in(names);
    for (const HistogramMetrics& each : histograms_) {
        for (std::size_t i = each.first; i < each.end(); ++i) {
            latest_[i].in_histogram = true;
        }
    }
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
        axes_[i] = axis_of(history.column(kAxes[i]), per_bucket_);
    }
}

const RunCurves::Latest* RunCurves::find(std::string_view metric) const {
    const auto found = std::ranges::find(latest_, metric, &Latest::metric);
    return found == latest_.end() ? nullptr : &*found;
}

CurvePoints RunCurves::points(std::string_view metric, CurveAxis axis, std::size_t most) const {
    CurvePoints out;
    const Latest* found = find(metric);
    const std::vector<double>& x = axes_[static_cast<std::size_t>(axis)];
    if (found == nullptr || x.empty()) {
        return out;
    }
    const std::vector<CurveBucket>& all = buckets_[static_cast<std::size_t>(found - latest_.data())];
    const auto has_value = [](const CurveBucket& bucket) { return !std::isnan(bucket.mean); };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(all, has_value));
    const std::size_t joined = (count + most - 1) / std::max<std::size_t>(most, 1);
    std::size_t in_point = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!has_value(all[i])) {
            continue;
        }
        if (in_point == 0) {
            out.x.push_back(x[i]);
            out.y.push_back(all[i]);
        } else {
            CurveBucket& point = out.y.back();
            const auto n = static_cast<float>(in_point);
            point.mean = (point.mean * n + all[i].mean) / (n + 1);
            point.low = std::min(point.low, all[i].low);
            point.high = std::max(point.high, all[i].high);
            out.x.back() = x[i];
        }
        in_point = in_point + 1 == joined ? 0 : in_point + 1;
    }
    return out;
}

}  // namespace tenon
