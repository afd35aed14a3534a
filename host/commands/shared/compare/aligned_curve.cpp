// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/aligned_curve.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tenon {
namespace {

constexpr std::uint32_t kDraws = 2'000;  // for each position, as rliable does for curves

double value_at(const RunCurve& run, double x) {
    const std::vector<double>& xs = *run.x;
    const auto above = static_cast<std::size_t>(std::ranges::lower_bound(xs, x) - xs.begin());
    if (above == 0 || xs[above] == x) {
        return (*run.y)[above];
    }
    const double share = (x - xs[above - 1]) / (xs[above] - xs[above - 1]);
    return (*run.y)[above - 1] + share * ((*run.y)[above] - (*run.y)[above - 1]);
}

std::vector<double> common_positions(const std::vector<RunCurve>& runs, std::size_t most) {
    double first = 0;
    double last = std::numeric_limits<double>::infinity();
    std::vector<double> all;
    for (const RunCurve& run : runs) {
        if (run.x->empty()) {
            return {};
        }
        first = std::max(first, run.x->front());
        last = std::min(last, run.x->back());
        all.insert(all.end(), run.x->begin(), run.x->end());
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase_if(all, [&](double x) { return x < first || x > last; });
    if (all.size() <= most) {
        return all;
    }
    std::vector<double> out;
    for (std::size_t i = 0; i < most; ++i) {
        out.push_back(all[i * (all.size() - 1) / (most - 1)]);
    }
    return out;
}

}  // namespace

AlignedCurve align(const std::vector<RunCurve>& runs, std::size_t tasks, Statistic statistic, std::size_t most) {
    AlignedCurve out;
    out.x = common_positions(runs, most);
    for (const double x : out.x) {
        Scores scores(tasks);
        for (const RunCurve& run : runs) {
            scores[run.task].push_back(value_at(run, x));
        }
        const Estimate point = estimate(scores, statistic, {.draws = kDraws});
        out.value.push_back(point.value);
        out.low.push_back(point.interval ? point.interval->low : point.value);
        out.high.push_back(point.interval ? point.interval->high : point.value);
    }
    return out;
}

}  // namespace tenon
