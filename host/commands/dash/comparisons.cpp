// SPDX-License-Identifier: Apache-2.0
#include "commands/dash/comparisons.hpp"

#include "base/json/write.hpp"
#include "shared/compare/comparison.hpp"
#include "shared/compare/comparison_output.hpp"

namespace tenon {
namespace {

std::string compared(const CompareRequest& request) {
    if (request.folders.empty()) {
        return R"({"problem":"no run is shown"})";
    }
    const Result<Comparison> comparison = compare_runs(request);
    if (comparison) {
        return comparison_json(*comparison);
    }
    std::string out;
    JsonWriter(out).begin_object().key("problem").text(comparison.error().sentence).end_object();
    return out;
}

}  // namespace

std::string Comparisons::of(const RunsView& view, const Choice& choice) {
    CompareRequest request{
        .folders = {}, .group_by = std::string(choice.group_by), .metric = std::string(choice.metric)};
    std::string key = request.group_by + '\n' + request.metric;
    for (const std::string_view id : choice.runs) {
        if (const WatchedRun* run = view.find(id)) {
            request.folders.push_back(run->info.folder);
            key +=
                '\n' + run->id + ' ' + std::to_string(run->curves.records()) + ' ' + std::string(name_of(run->state));
        }
    }
    const std::scoped_lock lock(mutex_);
    if (known_of_ != key) {
        known_ = compared(request);
        known_of_ = std::move(key);
    }
    return known_;
}

}  // namespace tenon
