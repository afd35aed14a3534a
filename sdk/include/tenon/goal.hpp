// SPDX-License-Identifier: Apache-2.0
// Goals in hindsight ("tenon.goal/1"): an env with a goal says what a step would have been worth with another one. An
// author writes, besides reset and step,
//
//     tenon::StepResult judge(const tenon::GoalRow& row) const {
//         return worth(row.achieved<float>(), row.desired<float>());  // as step() does
//     }
//
// whose result is that of a step that has led to `achieved` while the goal was `desired`; truncated is ignored. The
// observations are "achieved_goal" and "desired_goal", unless the env says otherwise, or that it needs more:
//
//     static tenon::GoalSpec goals() { return {.achieved = "position", .desired = "target", .reads = {"action"}}; }
//
// row.column<std::int64_t>(0) is then the action of the step. An env whose arithmetic covers many rows at once writes
// `void judge(const tenon::GoalRows& rows)` instead. judge may read options and what setup() has made of them, but
// nothing of an episode: it is called on an object that no episode has begun on.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/goal.h"
#include "tenon/env_spec.hpp"
#include "tenon/guard.hpp"
#include "tenon/spec.hpp"
#include "tenon/step_result.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct GoalSpec {
    std::string achieved = "achieved_goal";
    std::string desired = "desired_goal";
    std::vector<std::string> reads = {};  // further columns: "action", "observation", "next.observation"
};

// A column of the rows to be judged.
struct GoalColumn {
    Spec spec;  // without "next."
    std::size_t elements = 1;
};

struct GoalColumns {
    GoalSpec goals;
    GoalColumn goal;               // of the achieved and of the desired
    std::vector<GoalColumn> read;  // as GoalSpec::reads
    std::int32_t reward = TN_F32;  // its dtype
    std::vector<tn_str> keys;      // of the columns that are read
};

struct NoGoals {};

// The rows of one call.
class GoalRows {
public:
    GoalRows(const GoalColumns& columns, const tn_goal_call& call) : columns_(&columns), call_(&call) {}

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(call_->rows); }
    [[nodiscard]] bool wanted(std::size_t row) const { return call_->wanted[row] != 0; }

    template <class E>
    [[nodiscard]] std::span<const E> achieved(std::size_t row) const {
        return at<E>(columns_->goal, call_->achieved, row);
    }
    template <class E>
    [[nodiscard]] std::span<const E> desired(std::size_t row) const {
        return at<E>(columns_->goal, call_->desired, row);
    }
    template <class E>
    [[nodiscard]] std::span<const E> column(std::size_t number, std::size_t row) const {
        if (number >= columns_->read.size()) {
            throw InvalidArgument("judge reads column " + std::to_string(number) + ", but goals() names only " +
                                  std::to_string(columns_->read.size()));
        }
        return at<E>(columns_->read[number], call_->columns[number], row);
    }
    void result(std::size_t row, const StepResult& result) const {
        with_dtype(columns_->reward, [&](auto zero) {
            static_cast<decltype(zero)*>(call_->reward)[row] = static_cast<decltype(zero)>(result.reward);
        });
        call_->terminated[row] = result.terminated ? 1 : 0;
    }

private:
    template <class E>
    static std::span<const E> at(const GoalColumn& column, const void* data, std::size_t row) {
        if (dtype_of<E>() != column.spec.dtype) {
            throw InvalidArgument("judge reads '" + column.spec.key + "' as " + dtype_name(dtype_of<E>()) +
                                  ", but it is " + dtype_name(column.spec.dtype));
        }
        return {static_cast<const E*>(data) + row * column.elements, column.elements};
    }

    const GoalColumns* columns_;
    const tn_goal_call* call_;
};

// One row of them.
class GoalRow {
public:
    GoalRow(const GoalRows& rows, std::size_t row) : rows_(&rows), row_(row) {}

    template <class E>
    [[nodiscard]] std::span<const E> achieved() const {
        return rows_->achieved<E>(row_);
    }
    template <class E>
    [[nodiscard]] std::span<const E> desired() const {
        return rows_->desired<E>(row_);
    }
    template <class E>
    [[nodiscard]] std::span<const E> column(std::size_t number) const {
        return rows_->column<E>(number, row_);
    }

private:
    const GoalRows* rows_;
    std::size_t row_;
};

// Whether an env judges, and in which form.
template <class T>
struct GoalForm {
    static constexpr bool kOfRow = requires(T& env, const GoalRow& row) {
        { env.judge(row) } -> std::convertible_to<StepResult>;
    };
    static constexpr bool kOfRows = requires(T& env, const GoalRows& rows) {
        { env.judge(rows) } -> std::same_as<void>;
    };
    static constexpr bool kIsMeant = requires { &T::judge; };
    static_assert(!kIsMeant || kOfRow || kOfRows,
                  "judge must be tenon::StepResult judge(const tenon::GoalRow&) const, or void judge(const "
                  "tenon::GoalRows&): see tenon/goal.hpp");
    static constexpr bool kSaysGoals = requires(const T& env) {
        { env.goals() } -> std::convertible_to<GoalSpec>;
    };
    static constexpr bool kIsGoals = requires { &T::goals; };
    static_assert(!kIsGoals || kSaysGoals, "goals must return a tenon::GoalSpec: see tenon/goal.hpp");
    static constexpr bool kJudges = kOfRow || kOfRows;
};

// The columns that the env's judge reads, found in its spec. Throws, naming one that does not exist.
template <class T>
GoalColumns goal_columns(const T& env, const EnvSpec& spec) {
    GoalColumns out;
    if constexpr (GoalForm<T>::kSaysGoals) {
        out.goals = env.goals();
    }
    const std::vector<Spec> all = spec.all();
    const auto find = [&](const std::string& key) {
        const std::string stored = key.starts_with("next.") ? key.substr(5) : key;
        for (const Spec& one : all) {
            if (one.key == stored) {
                GoalColumn column{.spec = one};
                for (const std::int64_t size : one.shape) {
                    column.elements *= static_cast<std::size_t>(size);
                }
                return column;
            }
        }
        throw Error(TN_INTERNAL, "judge is to read '" + key + "', but spec() has no such column");
    };
    out.goal = find(out.goals.achieved);
    const GoalColumn desired = find(out.goals.desired);
    if (desired.spec.dtype != out.goal.spec.dtype || desired.spec.shape != out.goal.spec.shape) {
        throw Error(TN_INTERNAL, "'" + out.goals.achieved + "' and '" + out.goals.desired +
                                     "' must have the same type and shape, for one can take the place of the other");
    }
    for (const std::string& key : out.goals.reads) {
        out.read.push_back(find(key));
        out.keys.push_back(to_str(key));
    }
    out.reward = spec.reward.dtype;
    return out;
}

template <class T>
void judge_rows(T& env, const GoalColumns& columns, const tn_goal_call& call) {
    const GoalRows rows(columns, call);
    if constexpr (GoalForm<T>::kOfRows) {
        env.judge(rows);
    } else {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (rows.wanted(row)) {
                rows.result(row, env.judge(GoalRow(rows, row)));
            }
        }
    }
}

}  // namespace TENON_SDK
}  // namespace tenon
