// SPDX-License-Identifier: Apache-2.0
// Breakout on 10 by 10 cells, with the rules of MinAtar 1.0.15: Young and Tian, "MinAtar: an Atari-inspired testbed for
// thorough and reproducible reinforcement learning experiments", arXiv:1903.03176, 2019.
//
// The ball moves one cell diagonally in each step. It bounces off the walls and the ceiling, off a brick, which it
// breaks for a reward of 1, and off the paddle. Where it has just broken a brick, it passes through the next one. When
// it comes down to the paddle's row, all bricks are put back if none is left. An episode ends when the ball gets past
// the paddle. MinAtar has no time limit.
#pragma once

#include <algorithm>
#include <array>

#include "cells_drawing.hpp"
#include "tenon/env.hpp"

struct Breakout {
    static constexpr int kSide = 10, kPaddleRow = kSide - 1, kFirstBrickRow = 1, kBrickRows = 3;
    static constexpr std::size_t kCells = std::size_t{kSide} * kSide;
    enum Channel : std::size_t { kPaddle, kBall, kTrail, kBricks, kChannels };

    struct Cell {
        int row, column;
    };

    double sticky_actions;
    std::int64_t max_episode_steps;
    int paddle;                // its column
    Cell ball, trail;          // where the ball is and was
    int down, right;           // its direction: 1, or -1 for up or left
    bool has_struck;           // in the last step it met a brick
    std::int64_t last_action;  // stay at the beginning of an episode
    int bricks_left;
    std::array<bool, static_cast<std::size_t>(kBrickRows* kSide)> bricks;

    static constexpr auto options = std::tuple{
        tenon::option<&Breakout::sticky_actions>("sticky_actions", 0.1, "[0,1]",
                                                 "probability that a step repeats the previous action instead"),
        tenon::option<&Breakout::max_episode_steps>("max_episode_steps", 0, "[0,inf)", "time limit; 0: none")};

    static tenon::EnvSpec spec() {
        return {{tenon::binary("observation", {kChannels, kSide, kSide})},
                {tenon::categorical("action", 3)},
                tenon::bounded("reward", {}, 0, 1)};
    }

    void reset(tenon::Rng& rng, std::span<bool, kChannels * kCells> observation) {
        const bool is_left = rng.chance(0.5);
        ball = trail = {.row = 3, .column = is_left ? 0 : kSide - 1};
        down = 1;
        right = is_left ? 1 : -1;
        paddle = 4;
        has_struck = false;
        last_action = 0;
        build_wall();
        show(observation);
    }

    // Stay, left, right.
    tenon::StepResult step(tenon::Rng& rng, std::int64_t action, std::span<bool, kChannels * kCells> observation) {
        if (sticky_actions > 0 && rng.chance(sticky_actions)) {
            action = last_action;
        }
        last_action = action;
        paddle = std::clamp(paddle + (action == 2 ? 1 : 0) - (action == 1 ? 1 : 0), 0, kSide - 1);
        const tenon::StepResult result = move_ball();
        show(observation);
        return result;
    }

    static tenon::PictureSize picture() { return size_of_cells(kSide, kSide); }
    void draw(tenon::Picture& out) const {
        constexpr tenon::Colour kRows[kBrickRows] = {{200, 72, 72}, {198, 108, 58}, {162, 162, 42}};
        out.fill({0, 0, 0});
        show_cells(kSide, kSide, out);
        for (int i = 0; i < kBrickRows * kSide; ++i) {
            if (bricks[static_cast<std::size_t>(i)]) {
                draw_cell(kFirstBrickRow + i / kSide, i % kSide, kRows[i / kSide], out);
            }
        }
        draw_cell(kPaddleRow, paddle, {66, 158, 130}, out);
        draw_token(trail.row, trail.column, {90, 90, 90}, out);
        draw_token(ball.row, ball.column, {255, 255, 255}, out);
    }

private:
    static constexpr std::size_t at(Cell cell) {
        return static_cast<std::size_t>(cell.row) * kSide + static_cast<std::size_t>(cell.column);
    }

    void build_wall() {
        bricks.fill(true);
        bricks_left = kBrickRows * kSide;
    }

    [[nodiscard]] bool* brick_at(Cell cell) {
        const bool is_in_wall = cell.row >= kFirstBrickRow && cell.row < kFirstBrickRow + kBrickRows;
        bool* const brick = is_in_wall ? &bricks[at({cell.row - kFirstBrickRow, cell.column})] : nullptr;
        return brick != nullptr && *brick ? brick : nullptr;
    }

    tenon::StepResult move_ball() {
        tenon::StepResult result;
        Cell next{ball.row + down, ball.column + right};
        if (next.column < 0 || next.column >= kSide) {
            next.column = ball.column;
            right = -right;
        }
        bool strikes = false;
        if (next.row < 0) {
            next.row = 0;
            down = 1;
        } else if (bool* const brick = brick_at(next)) {
            strikes = true;
            if (!has_struck) {
                *brick = false;
                --bricks_left;
                result.reward = 1;
                next.row = ball.row;
                down = -down;
            }
        } else if (next.row == kPaddleRow) {
            if (bricks_left == 0) {
                build_wall();
            }
            if (paddle == ball.column || paddle == next.column) {
                right = paddle == ball.column ? right : -right;
                next.row = ball.row;
                down = -1;
            } else {
                result.terminated = true;
            }
        }
        has_struck = strikes;
        trail = ball;
        ball = next;
        return result;
    }

    void show(std::span<bool, kChannels * kCells> out) const {
        std::ranges::fill(out, false);
        out[kPaddle * kCells + at({kPaddleRow, paddle})] = true;
        out[kBall * kCells + at(ball)] = true;
        out[kTrail * kCells + at(trail)] = true;
        std::ranges::copy(bricks, out.subspan(kBricks * kCells + std::size_t{kFirstBrickRow} * kSide).begin());
    }
};
