// SPDX-License-Identifier: Apache-2.0
// A ball falls through an image, and a paddle at the bottom must catch it: pixels, as uint8 and channels first, and a
// reward only at the end. After Mnih et al., "Recurrent models of visual attention", NIPS 2014.
#pragma once

#include "cells_drawing.hpp"
#include "falling_ball_rules.hpp"
#include "small_kernels.hpp"
#include "tenon/env.hpp"

struct FallingBall : FallingBallRules {
    State now;
    static constexpr auto on_device =
        tenon::device_env<FallingBallRules>("falling_ball", &small_kernels, &FallingBall::now);

    static constexpr auto options = std::tuple{
        tenon::option<&FallingBall::rows>("rows", 10, "[2,1000]", "height of the image; an episode has one step fewer"),
        tenon::option<&FallingBall::columns>("columns", 10, "[2,1000]", "width of the image")};

    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {1, rows, columns}, 0, 255, TN_U8)},
                {tenon::categorical("action", 3)},
                tenon::bounded("reward", {}, -1, 1)};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        begin(rng, now);
        observe(now, row.observation<std::uint8_t>(0).data());
    }
    tenon::StepResult step(std::int64_t action, const tenon::EnvRow& row) {
        const tenon::StepResult result = advance(now, action);
        observe(now, row.observation<std::uint8_t>(0).data());
        return result;
    }

    tenon::PictureSize picture() const { return size_of_cells(rows, columns); }
    void draw(tenon::Picture& out) const {
        out.fill({0, 0, 0});
        show_cells(rows, columns, out);
        draw_cell(now.height, now.ball, {255, 255, 255}, out);
        draw_cell(rows - 1, now.paddle, {255, 255, 255}, out);
    }

    void state(tenon::Archive& archive) { archive(now.ball, now.height, now.paddle); }
};
