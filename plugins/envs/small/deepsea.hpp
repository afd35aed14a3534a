// SPDX-License-Identifier: Apache-2.0
// A grid through which the agent sinks one row a step, to the left or to the right, and a treasure in its lowest corner
// on the right. Only one way leads to it, to the right in every row, and each step to the right costs a little: of
// random policies, one episode in 2^size finds it. Which action goes to the right differs by cell. The rules are those
// of Osband et al., "Behaviour suite for reinforcement learning", ICLR 2020.
#pragma once

#include <algorithm>

#include "cells_drawing.hpp"
#include "tenon/abi/random.h"
#include "tenon/env.hpp"

struct DeepSea {
    std::int64_t size;
    double move_cost, treasure;
    bool noisy;
    std::int64_t mapping;
    std::int64_t row, column;

    static constexpr auto options =
        std::tuple{tenon::option<&DeepSea::size>("size", 10, "[2,200]", "rows and columns, and steps in an episode"),
                   tenon::option<&DeepSea::move_cost>("move_cost", 0.01, "[0,inf)",
                                                      "cost of an episode of steps to the right; each has its share"),
                   tenon::option<&DeepSea::treasure>(
                       "treasure", 1.0, "", "reward of a step to the right from the lowest corner on the right"),
                   tenon::option<&DeepSea::noisy>(
                       "noisy", false, "",
                       "one in `size` steps to the right does not move, and rewards of the lowest corners have noise"),
                   tenon::option<&DeepSea::mapping>(
                       "mapping", 0, "[-1,inf)",
                       "number of the map of which action goes to the right in each cell; -1: always 1")};

    [[nodiscard]] tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {size * size}, 0, 1)}, {tenon::categorical("action", 2)}};
    }

    // The same in all lanes, whatever their seeds.
    [[nodiscard]] std::int64_t right_at(std::int64_t r, std::int64_t c) const {
        if (mapping < 0) {
            return 1;
        }
        const auto cell = static_cast<std::uint64_t>(r * size + c);
        return static_cast<std::int64_t>(tn_philox({static_cast<std::uint64_t>(mapping), 0x5ea}, cell).word[0] & 1U);
    }

    void reset(std::span<float> observation) {
        row = column = 0;
        show(observation);
    }

    tenon::StepResult step(std::int64_t action, tenon::Rng& rng, std::span<float> observation) {
        const std::int64_t last = size - 1;
        double reward = 0;
        if (noisy && row == last && (column == 0 || column == last)) {
            reward += rng.normal();
        }
        if (action == right_at(row, column)) {
            reward += (column == last ? treasure : 0.0) - move_cost / static_cast<double>(size);
            const bool moves = !noisy || !rng.chance(1 / static_cast<double>(size));
            column = moves ? std::min(column + 1, last) : column;
        } else {
            column = std::max<std::int64_t>(column - 1, 0);
        }
        ++row;
        show(observation);
        return {.reward = reward, .terminated = row == size};
    }

    // One number per cell, 1 for the agent's cell; below the lowest row all are 0.
    void show(std::span<float> observation) const {
        std::ranges::fill(observation, 0.0F);
        if (row < size) {
            observation[static_cast<std::size_t>(row * size + column)] = 1;
        }
    }

    void state(tenon::Archive& archive) { archive(row, column); }

    [[nodiscard]] tenon::PictureSize picture() const { return size_of_cells(size, size); }
    void draw(tenon::Picture& out) const {
        show_cells(size, size, out);
        for (std::int64_t r = 0; r < size; ++r) {
            for (std::int64_t c = 0; c <= r; ++c) {  // others are not reached
                draw_cell(r, c, r == size - 1 && c == r ? tenon::Colour{90, 190, 90} : tenon::Colour{230, 230, 230},
                          out);
            }
        }
        draw_token(std::min(row, size - 1), column, {40, 90, 180}, out);
    }
};
