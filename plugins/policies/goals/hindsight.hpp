// SPDX-License-Identifier: Apache-2.0
// The goal of a row, which the buffer replay/hindsight may have replaced, and the reward and the end that follow from
// it. These functions stand in for columns; the component has no parameters and does not act.
#pragma once

#include <cmath>
#include <string>
#include <tuple>

#include "tenon/graph_component.hpp"
#include "tenon/options.hpp"

struct Hindsight {
    std::string achieved;
    std::string desired;
    double tolerance = 0;
    double reached_reward = 0;
    double missed_reward = -1;

    [[nodiscard]] tenon::Value goal(const tenon::Graph& g) const {
        const auto batch = g.batch();
        return where(unsqueeze(batch["hindsight.relabelled"]), batch["hindsight.goal"],
                     batch[("stored." + desired).c_str()]);
    }

    // Whether what the step has led to is within the tolerance of the goal.
    [[nodiscard]] tenon::Value reached(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const tenon::Value off = batch.next()[achieved.c_str()] - batch[desired.c_str()];
        return sum(square(off)) <= tolerance * tolerance;
    }

    [[nodiscard]] tenon::Value reward(const tenon::Graph& g) const {
        return where(reached(g), reached_reward, missed_reward);
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Hindsight::achieved>("achieved", "achieved_goal", "", "the column of what is achieved"),
        tenon::option<&Hindsight::desired>("desired", "desired_goal", "", "the column of the goal"),
        tenon::option<&Hindsight::tolerance>("tolerance", 0.0, "[0,inf)", "Euclidean distance that counts as reached"),
        tenon::option<&Hindsight::reached_reward>("reached_reward", 0.0, "", "reward of a step that reaches the goal"),
        tenon::option<&Hindsight::missed_reward>("missed_reward", -1.0, "", "reward of any other step")};
    static constexpr auto functions = std::tuple{tenon::function<&Hindsight::goal>("goal", "", "goal"),
                                                 tenon::function<&Hindsight::reached>("reached", "", "reached"),
                                                 tenon::function<&Hindsight::reward>("reward", "", "reward")};
};
