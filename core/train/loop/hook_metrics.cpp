// SPDX-License-Identifier: Apache-2.0
#include "train/loop/hook_metrics.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/listed.hpp"
#include "folder/records/metric_names.hpp"
#include "train/loop/metrics.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

void check_read_metrics(const HookPlan& hook, const std::vector<std::string>& names, Problems& problems) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const std::string& name : hook.reads) {
        if (name.starts_with(metric::kTime)) {
            problems.push_back(hook_problem(hook, "reads the metric '" + name + "', which differs between equal runs"));
        } else if (std::ranges::find(names, name) == names.end()) {
            const std::string suggestion = did_you_mean(name, known);
            problems.push_back(
                hook_problem(hook, "reads the metric '" + name + "', which this run does not have" + suggestion));
            problems.back().help = suggestion.empty() ? "it has: " + listed(known) : "";
        }
    }
}

void check_own_metrics(const HookPlan& hook, const std::vector<std::string>& names, Problems& problems) {
    for (const std::string& name : hook.metrics) {
        if (std::ranges::count(names, name) > 1) {
            problems.push_back(
                hook_problem(hook, "has the metric '" + name + "', and another hook has one of the same name"));
            problems.back().help = "give the hooks different names: name = \"...\"";
        }
    }
}

}  // namespace

void check_hook_metrics(const Wiring& wiring, Problems& problems) {
    std::vector<std::string> names;
    std::ranges::transform(recorded_metrics(wiring), std::back_inserter(names), &Metric::name);
    for (const HookPlan& hook : wiring.hooks) {
        check_read_metrics(hook, names, problems);
        check_own_metrics(hook, names, problems);
    }
}

}  // namespace tenon
