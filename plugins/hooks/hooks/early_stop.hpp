// SPDX-License-Identifier: Apache-2.0
// Ends a run when a metric has not become better for a while. The hook reads metrics of evaluations after each
// evaluation, and other metrics after every so many updates.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "tenon/hook.hpp"

struct EarlyStop {
    std::string metric;
    std::string goal;
    double least_change;
    std::int64_t patience;
    std::int64_t every;

    static constexpr auto options = std::tuple{
        tenon::option<&EarlyStop::metric>("metric", "eval/mean_reward", "the metric, as in metrics.jsonl"),
        tenon::option<&EarlyStop::goal>("goal", "max", "max|min", "whether more or less of it is better"),
        tenon::option<&EarlyStop::least_change>("least_change", 0.0, "[0,inf)",
                                                "a value is better if it is better by more than this"),
        tenon::option<&EarlyStop::patience>("patience", 10, "[1,1e9]", "looks without a better value that end the run"),
        tenon::option<&EarlyStop::every>("every", 100, "[1,1e15]",
                                         "updates between two looks at a metric that is not of evaluations")};

    double best = std::numeric_limits<double>::quiet_NaN();
    std::int64_t since_best = 0;
    void state(tenon::Archive& archive) { archive(best, since_best); }

    [[nodiscard]] tenon::HookPlan plan() const { return {.reads = {metric}, .metrics = {"best", "since_best"}}; }

    void evaluated(const tenon::HookCall& run) {
        if (metric.starts_with("eval/")) {
            look(run);
        }
    }

    void updated(const tenon::HookCall& run) {
        if (!metric.starts_with("eval/") && run.updates() % static_cast<std::uint64_t>(every) == 0) {
            look(run);
        }
    }

private:
    void look(const tenon::HookCall& run) {
        if (!run.has_metric(0)) {
            return;  // for example before the first episode has ended
        }
        const double value = run.metric(0);
        const double gain = goal == "max" ? value - best : best - value;
        const bool better = std::isnan(best) || gain > least_change;
        best = better ? value : best;
        since_best = better ? 0 : since_best + 1;
        run.report(0, best);
        run.report(1, static_cast<double>(since_best));
        if (since_best >= patience) {
            run.stop(metric + " has not become better in " + std::to_string(since_best) + " looks");
        }
    }
};
