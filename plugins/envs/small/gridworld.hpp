// SPDX-License-Identifier: Apache-2.0
// A map of square cells. `action_mask` says which of up, right, down and left are open; any other action is an error.
// Without the mask, a move into a wall has no effect.
#pragma once

#include <algorithm>

#include "cells_drawing.hpp"
#include "gridworld_map.hpp"
#include "tenon/env.hpp"

struct GridWorld {
    std::vector<std::string> rows;
    double goal_reward, pit_reward, step_reward;
    bool masked;
    std::int64_t max_episode_steps;
    GridMap map;
    std::int64_t at;

    static constexpr auto options = std::tuple{
        tenon::option<&GridWorld::rows>(
            "map", {"S..#.", ".#...", "...#X", "#X...", "...#G"}, "",
            "one string per row: S start (several: a random one; none: any floor), G goal, X pit, # wall, . floor"),
        tenon::option<&GridWorld::goal_reward>("goal_reward", 1, "",
                                               "reward of the step into a goal, which ends the episode"),
        tenon::option<&GridWorld::pit_reward>("pit_reward", -1, "",
                                              "reward of the step into a pit, which ends the episode"),
        tenon::option<&GridWorld::step_reward>("step_reward", -0.01, "", "reward of every other step"),
        tenon::option<&GridWorld::masked>("mask", true, "", "whether the env gives an action_mask"),
        tenon::option<&GridWorld::max_episode_steps>("max_episode_steps", 100, "[0,inf)", "time limit; 0: none")};

    void setup() { map = GridMap(rows); }

    tenon::EnvSpec spec() const {
        tenon::EnvSpec spec{{tenon::bounded("observation", {map.size()}, 0, 1)}, {tenon::categorical("action", 4)}};
        if (masked) {
            spec.observations.push_back(tenon::binary("action_mask", {4}));
        }
        return spec;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        at = map.starts()[rng.below(map.starts().size())];
        show(row);
    }

    tenon::StepResult step(std::int64_t action, const tenon::EnvRow& row) {
        const std::int64_t next = map.beyond(at, action);
        if (masked && next == at) {
            throw tenon::InvalidArgument("action " + std::to_string(action) +
                                         " leads into a wall, which the action_mask forbids");
        }
        at = next;
        show(row);
        switch (map.cell(at)) {
            case 'G':
                return {.reward = goal_reward, .terminated = true};
            case 'X':
                return {.reward = pit_reward, .terminated = true};
            default:
                return {.reward = step_reward};
        }
    }

    // One number per cell, 1 for the agent's cell.
    void show(const tenon::EnvRow& row) const {
        const std::span<float> observation = row.observation<float>(0);
        std::ranges::fill(observation, 0.0F);
        observation[static_cast<std::size_t>(at)] = 1;
        for (std::int64_t action = 0; masked && action < 4; ++action) {
            row.observation<bool>(1)[static_cast<std::size_t>(action)] = map.beyond(at, action) != at;
        }
    }

    void state(tenon::Archive& archive) { archive(at); }

    tenon::PictureSize picture() const { return size_of_cells(map.size() / map.width(), map.width()); }
    void draw(tenon::Picture& out) const {
        show_cells(map.size() / map.width(), map.width(), out);
        for (std::int64_t i = 0; i < map.size(); ++i) {
            draw_cell(i / map.width(), i % map.width(), colour_of(map.cell(i)), out);
        }
        draw_token(at / map.width(), at % map.width(), {40, 90, 180}, out);
    }

private:
    static tenon::Colour colour_of(char cell) {
        switch (cell) {
            case 'G':
                return {90, 190, 90};
            case 'X':
                return {210, 80, 80};
            case '#':
                return {70, 70, 70};
            default:
                return {230, 230, 230};
        }
    }
};
