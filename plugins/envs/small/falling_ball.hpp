// SPDX-License-Identifier: Apache-2.0
// A ball falls through an image, and a paddle at the bottom must catch it: pixels, as uint8 and channels first, and a
// reward only at the end. After Mnih et al., "Recurrent models of visual attention", NIPS 2014.
#pragma once

#include <algorithm>

#include "cells_drawing.hpp"
#include "tenon/env.hpp"

struct FallingBall {
    std::int64_t rows, columns;
    std::int64_t ball, height, paddle;

    static constexpr auto options = std::tuple{
        tenon::option<&FallingBall::rows>("rows", 10, "[2,1000]", "height of the image; an episode has one step fewer"),
        tenon::option<&FallingBall::columns>("columns", 10, "[2,1000]", "width of the image")};

    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {1, rows, columns}, 0, 255, TN_U8)},
                {tenon::categorical("action", 3)},
                tenon::bounded("reward", {}, -1, 1)};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        ball = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(columns)));
        height = 0;
        paddle = columns / 2;
        show(row);
    }

    // Left, stay, right.
    tenon::StepResult step(std::int64_t action, const tenon::EnvRow& row) {
        paddle = std::clamp<std::int64_t>(paddle + action - 1, 0, columns - 1);
        ++height;
        show(row);
        const bool lands = height == rows - 1;
        return {.reward = lands ? (ball == paddle ? 1.0 : -1.0) : 0.0, .terminated = lands};
    }

    void show(const tenon::EnvRow& row) const {
        const std::span<std::uint8_t> picture = row.observation<std::uint8_t>(0);
        std::ranges::fill(picture, std::uint8_t{0});
        picture[static_cast<std::size_t>(height * columns + ball)] = 255;
        picture[static_cast<std::size_t>((rows - 1) * columns + paddle)] = 255;
    }

    tenon::PictureSize picture() const { return size_of_cells(rows, columns); }
    void draw(tenon::Picture& out) const {
        out.fill({0, 0, 0});
        show_cells(rows, columns, out);
        draw_cell(height, ball, {255, 255, 255}, out);
        draw_cell(rows - 1, paddle, {255, 255, 255}, out);
    }

    void state(tenon::Archive& archive) { archive(ball, height, paddle); }
};
