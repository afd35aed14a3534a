// SPDX-License-Identifier: Apache-2.0
// What a step of Catch computes.
#pragma once

#include "tenon/device_rules.hpp"

struct FallingBallRules {
    std::int64_t rows, columns;
    struct State {
        std::int64_t ball, height, paddle;
    };
    using Action = std::int64_t;
    using Observation = std::uint8_t;

    template <class Random>
    TENON_BOTH void begin(Random& random, State& state) const {
        state.ball = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(columns)));
        state.height = 0;
        state.paddle = columns / 2;
    }

    // Left, stay, right.
    TENON_BOTH tenon::StepResult advance(State& state, std::int64_t action) const {
        state.paddle = std::clamp<std::int64_t>(state.paddle + action - 1, 0, columns - 1);
        ++state.height;
        const bool lands = state.height == rows - 1;
        return {.reward = lands ? (state.ball == state.paddle ? 1.0 : -1.0) : 0.0, .terminated = lands};
    }

    TENON_BOTH void observe(const State& state, std::uint8_t* picture) const {
        const std::int64_t cells =
            rows * columns;  // a byte of the picture may be one of theirs, for all compilers know
        for (std::int64_t i = 0; i < cells; ++i) {
            picture[i] = 0;
        }
        picture[state.height * columns + state.ball] = 255;
        picture[(rows - 1) * columns + state.paddle] = 255;
    }
};
