// SPDX-License-Identifier: Apache-2.0
// A corridor that ends in a T. A sign at its beginning, which is not visible later, says which way to turn at its end:
// without memory half of the turns are wrong. After Bakker, "Reinforcement learning with long short-term memory", NIPS
// 2001.
#pragma once

#include <algorithm>

#include "cells_drawing.hpp"
#include "tenon/env.hpp"

struct TMaze {
    std::int64_t length;
    double goal_reward, penalty;
    std::int64_t max_episode_steps;
    std::int64_t at;
    bool goal_is_north;

    static constexpr tenon::Colour kFloor{230, 230, 230}, kGoal{90, 190, 90};

    enum : std::int64_t { kNorth, kEast, kSouth, kWest };

    static constexpr auto options = std::tuple{
        tenon::option<&TMaze::length>("length", 10, "[1,1000000]", "steps from the sign to the junction"),
        tenon::option<&TMaze::goal_reward>("goal_reward", 4, "", "reward for the correct turn, which ends the episode"),
        tenon::option<&TMaze::penalty>(
            "penalty", 0.1, "",
            "penalty for the wrong turn, which also ends the episode, and for walking into a wall; other steps give 0"),
        tenon::option<&TMaze::max_episode_steps>("max_episode_steps", 200, "[0,inf)", "time limit; 0: none")};

    static tenon::EnvSpec spec() {
        return {{tenon::bounded("observation", {3}, 0, 1)}, {tenon::categorical("action", 4)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 3> observation) {
        at = 0;
        goal_is_north = rng.chance(0.5);
        show(observation);
    }

    tenon::StepResult step(std::int64_t action, std::span<float, 3> observation) {
        const bool turns = at == length && (action == kNorth || action == kSouth);
        const std::int64_t before = at;
        if (action == kEast || action == kWest) {
            at = std::clamp<std::int64_t>(at + (action == kEast ? 1 : -1), 0, length);
        }
        show(observation);
        if (turns) {
            return {.reward = (action == kNorth) == goal_is_north ? goal_reward : -penalty, .terminated = true};
        }
        return {.reward = at == before ? -penalty : 0.0};
    }

    // The paper's code of three bits: 011 and 110 are the signs, 101 the corridor, 010 the junction.
    void show(std::span<float, 3> observation) const {
        constexpr std::array<std::array<float, 3>, 4> kSeen = {{{0, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 0}}};
        const std::size_t place = at == 0 ? (goal_is_north ? 0 : 1) : (at < length ? 2 : 3);
        std::ranges::copy(kSeen[place], observation.begin());
    }

    // The sign is drawn all the time: it is the policy that must remember it.
    tenon::PictureSize picture() const { return size_of_cells(3, length + 1); }
    void draw(tenon::Picture& out) const {
        out.fill({70, 70, 70});
        show_cells(3, length + 1, out);
        for (std::int64_t i = 0; i <= length; ++i) {
            draw_cell(1, i, kFloor, out);
        }
        draw_cell(0, length, goal_is_north ? kGoal : kFloor, out);
        draw_cell(2, length, goal_is_north ? kFloor : kGoal, out);
        draw_token(1, at, {40, 90, 180}, out);
    }

    void state(tenon::Archive& archive) { archive(at, goal_is_north); }
};
