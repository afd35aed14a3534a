// SPDX-License-Identifier: Apache-2.0
// What a tree search maximises when it chooses an action: the mean of what the action has returned so far, and more for
// actions that have been tried rarely.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace plan {

// What a search knows of one action in one position.
struct Tried {
    double visits = 0;
    double sum = 0;      // of what it has returned
    double squares = 0;  // of the same
    double prior = 1;    // the probability that a policy gives it
};

inline double mean_of(const Tried& action) {
    return action.visits > 0 ? action.sum / action.visits : 0;
}

// AlphaGo's rule (Silver et al. 2016), with the prior. An action that has not been tried has the mean 0.
inline double puct(const Tried& action, double visits, double c) {
    return mean_of(action) + c * action.prior * std::sqrt(visits) / (1 + action.visits);
}

// The same without a prior, as TorchRL's UCBScore. An action that has not been tried comes first.
inline double ucb(const Tried& action, double visits, double c) {
    return action.visits > 0 ? mean_of(action) + c * std::sqrt(visits) / (1 + action.visits)
                             : std::numeric_limits<double>::infinity();
}

// UCB1 (Auer et al. 2002): c is the square root of 2 there.
inline double ucb1(const Tried& action, double visits, double c) {
    return action.visits > 0 ? mean_of(action) + c * std::sqrt(std::log(std::max(visits, 1.0)) / action.visits)
                             : std::numeric_limits<double>::infinity();
}

// UCB1-tuned of the same paper, for returns between 0 and 1: c is 2 there.
inline double ucb1_tuned(const Tried& action, double visits, double c) {
    if (action.visits == 0) {
        return std::numeric_limits<double>::infinity();
    }
    const double share = std::log(std::max(visits, 1.0)) / action.visits, mean = mean_of(action);
    const double variance = action.squares / action.visits - mean * mean + std::sqrt(c * share);
    return mean + std::sqrt(share * std::clamp(variance, 0.0, 0.25));
}

inline double score(const std::string& rule, const Tried& action, double visits, double c) {
    return rule == "puct"   ? puct(action, visits, c)
           : rule == "ucb"  ? ucb(action, visits, c)
           : rule == "ucb1" ? ucb1(action, visits, c)
                            : ucb1_tuned(action, visits, c);
}

}  // namespace plan
