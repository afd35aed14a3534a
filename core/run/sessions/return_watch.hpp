// SPDX-License-Identifier: Apache-2.0
// What the returns of a run show at its end: that evaluations play worse than the policy does while it collects, or
// that nothing was learnt. Both are reported only if chance is an unlikely reason.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experience/env/episodes.hpp"
#include "train/collect/score.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Returns of training, and the returns with which they are compared.
struct ReturnPair {
    Score training;
    Score other;
};

struct ActingFacts {
    bool draws = false;        // actions in training, but not in evaluations
    bool explores = false;     // in addition to draws
    bool learns_anew = false;  // a task that stays the same, from the env's own rewards and new weights
};
ActingFacts acting_facts(const Wiring& wiring);

class ReturnWatch {
public:
    explicit ReturnWatch(ActingFacts facts) : facts_(facts) { returns_.reserve(Episodes::kWindow); }

    // Says that the weights are not new, so that the first episodes are not those of random actions.
    void begins_with_skill() { facts_.learns_anew = false; }
    // Call it after a round. updates: those made so far; progress: the part of the run that is done.
    void collected(const Episodes& episodes, std::int64_t updates, double progress);
    // Call it after an evaluation in the env of training.
    void evaluated(const Score& score, const Episodes& episodes);

    // The newest episodes of training and the last evaluation. Nothing unless only training draws actions and the last
    // two evaluations have returned far less.
    [[nodiscard]] std::optional<ReturnPair> drawn_is_better() const;
    // The last episodes of training and its first ones. Nothing unless they do not differ and evaluations show no
    // progress either. best: the best of all evaluations.
    [[nodiscard]] std::optional<ReturnPair> not_learnt(const Episodes& episodes, std::optional<double> best) const;

private:
    ActingFacts facts_;
    Score first_;             // of the first episodes of training
    std::uint64_t seen_ = 0;  // episodes that had ended by then
    bool has_first_ = false;
    std::int64_t updates_ = 0;             // at the end of the last round
    std::optional<ReturnPair> evaluated_;  // the newest one
    int behind_ = 0;                       // evaluations in a row that were far behind
    std::vector<double> returns_;          // keeps its memory
};

}  // namespace tenon
