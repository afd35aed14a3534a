// SPDX-License-Identifier: Apache-2.0
// Bits that must be flipped, one per step, until they equal those of a goal. The goal and the achieved bits are
// columns, so an episode that missed its goal can be relabelled with one that it reached. After Andrychowicz et al.,
// "Hindsight experience replay", NeurIPS 2017.
#pragma once

#include <algorithm>

#include "cells_drawing.hpp"
#include "tenon/env.hpp"

struct BitFlip {
    std::int64_t count;
    std::int64_t max_episode_steps;
    double reached_reward = 0;
    double missed_reward = -1;
    std::vector<std::uint8_t> bits;
    std::vector<std::uint8_t> goal;

    static constexpr auto options = std::tuple{
        tenon::option<&BitFlip::count>("bits", 8, "[1,4096]", "number of bits"),
        tenon::option<&BitFlip::max_episode_steps>("max_episode_steps", -1, "[-1,inf)",
                                                   "time limit; -1: as many steps as there are bits; 0: none"),
        tenon::option<&BitFlip::reached_reward>("reached_reward", 0.0, "", "reward of the step that reaches the goal"),
        tenon::option<&BitFlip::missed_reward>("missed_reward", -1.0, "", "reward of any other step")};

    void setup() {
        bits.resize(static_cast<std::size_t>(count));
        goal.resize(bits.size());
        max_episode_steps = max_episode_steps < 0 ? count : max_episode_steps;
    }

    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {count}, 0, 1), tenon::bounded("achieved_goal", {count}, 0, 1),
                 tenon::bounded("desired_goal", {count}, 0, 1)},
                {tenon::categorical("action", count)},
                tenon::bounded("reward", {}, std::min(missed_reward, reached_reward),
                               std::max(missed_reward, reached_reward))};
    }

    // All pairs of different bits and goals are equally likely.
    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        std::ranges::generate(bits, [&] { return static_cast<std::uint8_t>(rng.below(2)); });
        do {
            std::ranges::generate(goal, [&] { return static_cast<std::uint8_t>(rng.below(2)); });
        } while (goal == bits);
        show(row);
    }

    tenon::StepResult step(std::int64_t action, const tenon::EnvRow& row) {
        bits[static_cast<std::size_t>(action)] ^= 1U;
        show(row);
        return worth(bits == goal);
    }

    tenon::StepResult judge(const tenon::GoalRow& row) const {
        return worth(std::ranges::equal(row.achieved<float>(), row.desired<float>()));
    }

    tenon::StepResult worth(bool reached) const {
        return {.reward = reached ? reached_reward : missed_reward, .terminated = reached};
    }

    void show(const tenon::EnvRow& row) const {
        std::ranges::copy(bits, row.observation<float>(0).begin());
        std::ranges::copy(bits, row.observation<float>(1).begin());
        std::ranges::copy(goal, row.observation<float>(2).begin());
    }

    // The bits above those of the goal.
    tenon::PictureSize picture() const { return size_of_cells(2, count); }
    void draw(tenon::Picture& out) const {
        show_cells(2, count, out);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto shade = [i](const std::vector<std::uint8_t>& of) {
                return of[static_cast<std::size_t>(i)] != 0 ? tenon::Colour{40, 40, 40} : tenon::Colour{220, 220, 220};
            };
            draw_cell(0, i, shade(bits), out);
            draw_cell(1, i, shade(goal), out);
        }
    }

    void state(tenon::Archive& archive) { archive(bits, goal); }
};
