// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/aggregates.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include "base/data/mapped.hpp"

namespace tenon {
namespace {

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> pooled(const Scores& scores) {
    std::vector<double> out;
    for (const std::vector<double>& task : scores) {
        out.insert(out.end(), task.begin(), task.end());
    }
    return out;
}

std::vector<double> task_means(const Scores& scores) {
    return mapped<double>(scores, [](const std::vector<double>& task) { return mean_of(task); });
}

}  // namespace

double interquartile_mean(const Scores& scores) {
    std::vector<double> all = pooled(scores);
    std::ranges::sort(all);
    const std::size_t cut = all.size() / 4;
    return mean_of(std::span(all).subspan(cut, all.size() - 2 * cut));
}

double median_of_means(const Scores& scores) {
    return median_of(task_means(scores));
}

double median_score(const Scores& scores) {
    return scores.size() == 1 ? median_of(scores.front()) : median_of_means(scores);
}

double mean_of_means(const Scores& scores) {
    return mean_of(task_means(scores));
}

double optimality_gap(const Scores& scores, double target) {
    std::vector<double> all = pooled(scores);
    std::ranges::for_each(all, [&](double& score) { score = std::min(score, target); });
    return target - mean_of(all);
}

double fraction_above(const Scores& scores, double threshold) {
    const std::vector<double> all = pooled(scores);
    const auto above = std::ranges::count_if(all, [&](double score) { return score > threshold; });
    return static_cast<double>(above) / static_cast<double>(all.size());
}

double probability_of_improvement(const Scores& x, const Scores& y) {
    double sum = 0;
    for (std::size_t task = 0; task < x.size(); ++task) {
        double wins = 0;
        for (const double of_x : x[task]) {
            for (const double of_y : y[task]) {
                wins += of_x > of_y ? 1 : of_x == of_y ? 0.5 : 0;
            }
        }
        sum += wins / static_cast<double>(x[task].size() * y[task].size());
    }
    return sum / static_cast<double>(x.size());
}

}  // namespace tenon
