// SPDX-License-Identifier: Apache-2.0
// Relabels rows of a minibatch with another goal in hindsight; the env itself computes their rewards and ends for this
// goal (tenon/abi/goal.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/goal.h"

namespace tenon {

// The columns by which a sampler says which rows take which goal.
inline constexpr const char* kHindsightGoal = "hindsight.goal";
inline constexpr const char* kRelabelled = "hindsight.relabelled";

struct GoalInfo {
    std::string achieved;
    std::string desired;
    std::vector<std::string> columns;  // the other columns that the env reads, as a batch names them
    Spec goal;                         // of the desired and of the achieved goal
    Spec reward;
};

// Checks the columns of goals against the env's columns. TN_UNAVAILABLE is a problem of the input: with these options
// the env has no goals.
Result<GoalInfo> describe_goals(const Callee<tn_goal_api>& env, const Composite& specs);

class GoalJudge {
public:
    // Takes an instance of the env that no lane steps.
    static Result<GoalJudge> make(Instance env, const Composite& specs);

    [[nodiscard]] const GoalInfo& info() const { return info_; }

    // A column of a batch that it reads or writes, and whether it needs the column even if nothing else reads it.
    struct Column {
        std::string key;
        bool needed = true;
    };
    [[nodiscard]] std::span<const Column> columns() const { return columns_; }

    // The memory of each of these columns, dense; null for one that nothing reads. It must not move.
    void bind(std::vector<std::byte*> memory) { memory_ = std::move(memory); }

    // Gives the first rows that are relabelled their goal, reward and end. Does not allocate without failures.
    Status apply(std::size_t rows);

private:
    GoalJudge(Instance env, Callee<tn_goal_api> callee, GoalInfo info);
    Status check(std::size_t rows) const;

    Instance env_;
    Callee<tn_goal_api> callee_;
    GoalInfo info_;
    std::size_t goal_bytes_ = 0;
    std::vector<Column> columns_;
    std::vector<std::byte*> memory_;  // as columns_
};

}  // namespace tenon
