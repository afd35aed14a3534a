// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/comparison_output.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/error/listed.hpp"

namespace tenon {
namespace {

std::string runs_text(const Comparison& c) {
    std::size_t least = c.groups.front().runs.size();
    std::size_t most = least;
    for (const ComparedGroup& group : c.groups) {
        least = std::min(least, group.runs.size());
        most = std::max(most, group.runs.size());
    }
    return (least == most ? "" : std::to_string(least) + " to ") + counted(most, "run") +
           (c.groups.size() > 1 ? " each" : "");
}

std::string statistic_text(const std::string& name) {
    return name == "iqm" ? "interquartile mean" : name;
}

std::string interval_text(const Comparison& c) {
    return c.groups.front().iqm.interval ? ", 95 % intervals" : "";
}

}  // namespace

Chart curves_chart(const Comparison& c) {
    Chart out{.title = statistic_text(c.statistic) + " of " + runs_text(c) + interval_text(c),
              .x_label = c.counts_updates ? "updates" : "frames",
              .y_label = c.ranges.empty() ? c.metric : c.metric + " (scaled)"};
    for (const ComparedGroup& group : c.groups) {
        out.curves.push_back({.name = group.name,
                              .x = group.curve.x,
                              .y = group.curve.value,
                              .low = group.curve.low,
                              .high = group.curve.high});
    }
    return out;
}

Chart profiles_chart(const Comparison& c) {
    Chart out{.title = "performance profiles of " + runs_text(c) + interval_text(c),
              .x_label = "score: " + c.metric + (c.ranges.empty() ? "" : " (scaled)"),
              .y_label = "fraction of runs above",
              .y_range = {{0, 1}}};
    for (const ComparedGroup& group : c.groups) {
        ChartCurve& curve = out.curves.emplace_back(ChartCurve{.name = group.name, .x = c.thresholds, .y = {}});
        curve.steps = true;
        for (const Estimate& point : group.profile) {
            curve.y.push_back(point.value);
            curve.low.push_back(point.interval ? point.interval->low : point.value);
            curve.high.push_back(point.interval ? point.interval->high : point.value);
        }
    }
    return out;
}

}  // namespace tenon
