// SPDX-License-Identifier: Apache-2.0
// Numbers that sum up the scores of several runs on one or several tasks, as Agarwal et al. (2021, arXiv:2108.13264)
// recommend and their package rliable computes them.
#pragma once

#include <vector>

namespace tenon {

// [task][run]. Each task has at least one run; tasks may have different numbers of runs.
using Scores = std::vector<std::vector<double>>;

// The mean of all scores without the lowest and the highest quarter (rounded down).
double interquartile_mean(const Scores& scores);
// The median of the tasks' means. For a single task this is its mean, and median_score is more useful.
double median_of_means(const Scores& scores);
// The median of the tasks' means; of the runs if there is one task.
double median_score(const Scores& scores);
double mean_of_means(const Scores& scores);
// The mean amount by which scores are below the target; scores above it count as the target.
double optimality_gap(const Scores& scores, double target);
// The fraction of scores above `threshold`: a point of a performance profile.
double fraction_above(const Scores& scores, double threshold);
// The probability that a random run of `x` has a higher score than one of `y`, mean over their tasks, which are the
// same; a tie counts half.
double probability_of_improvement(const Scores& x, const Scores& y);

}  // namespace tenon
