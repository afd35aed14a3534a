// SPDX-License-Identifier: Apache-2.0
// Rows of a minibatch that take another goal in hindsight, and what the env itself says they are worth then
// (tenon/abi/goal.h).
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
    std::vector<std::string> columns;  // what else the env reads, as a batch names it
    Spec goal;                         // of both
    Spec reward;
};

// Checked against the env's columns. TN_UNAVAILABLE is a problem of the input: with these options there are no goals.
Result<GoalInfo> describe_goals(const Callee<tn_goal_api>& env, const Composite& specs);

class GoalJudge {
public:
    // Takes an instance of the env that nobody steps.
    static Result<GoalJudge> make(Instance env, const Composite& specs);

    [[nodiscard]] const GoalInfo& info() const { return info_; }

    // What it reads and writes of a batch, and whether it needs the column although nobody else reads it.
    struct Column {
        std::string key;
        bool needed = true;
    };
    [[nodiscard]] std::span<const Column> columns() const { return columns_; }

    // The memory of each of them, dense; null for one that nobody reads. It must not move.
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
