// SPDX-License-Identifier: Apache-2.0
// What the page gets: runs, curves and the details of a run, as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/watch/run_watch.hpp"

namespace tenon {

// All runs with their state, latest metrics, and differing values of manifests, shortened as in names. "settings" has
// the values of the differing keys on which results may depend.
std::string runs_as_json(const RunsView& view);

// A metric of some runs: {"curves": [{"run", "x": [..], "y": [..], "low": [..], "high": [..]}]}; low and high only
// where a point stands for several records.
std::string curves_as_json(const RunsView& view, const std::vector<std::string_view>& ids, std::string_view metric,
                           CurveAxis axis, std::size_t most);

// The histograms among the metrics of a run: {"histograms": [{"name", "low", "high", "x": [..], "counts": [[..],
// ..]}]}; counts has a list over x for what is below `low`, for each bin, and for what is above `high`. A point that
// stands for several records has their mean.
std::string histograms_as_json(const WatchedRun& run, CurveAxis axis, std::size_t most);

// The whole manifest, the end of its logs, the names of its videos.
std::string run_as_json(const WatchedRun& run);

}  // namespace tenon
