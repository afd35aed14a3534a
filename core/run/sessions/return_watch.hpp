// SPDX-License-Identifier: Apache-2.0
// What the returns of a run say of it at its end: that evaluations play worse than the policy does while it collects.
// It is said only where chance is an unlikely reason.
#pragma once

#include <optional>
#include <vector>

#include "experience/env/episodes.hpp"
#include "train/collect/score.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Returns of training, and others that they are compared with.
struct ReturnPair {
    Score training;
    Score other;
};

struct ActingFacts {
    bool draws = false;  // actions in training, but not in evaluations
};
ActingFacts acting_facts(const Wiring& wiring);

class ReturnWatch {
public:
    explicit ReturnWatch(ActingFacts facts) : facts_(facts) { returns_.reserve(Episodes::kWindow); }

    // After an evaluation in the env of training.
    void evaluated(const Score& score, const Episodes& episodes);

    // The newest episodes of training and the last evaluation, if only the former draw actions, and the last two
    // evaluations have returned far less.
    [[nodiscard]] std::optional<ReturnPair> drawn_is_better() const;

private:
    ActingFacts facts_;
    std::optional<ReturnPair> evaluated_;  // the newest one
    int behind_ = 0;                       // evaluations in a row that were far behind
    std::vector<double> returns_;          // keeps its memory
};

}  // namespace tenon
