// SPDX-License-Identifier: Apache-2.0
// Ends episodes as truncated after so many steps, as the max_steps of TorchRL's StepCounter does. The env's own limit
// stays: the shorter one counts.
#pragma once

#include <cstdint>

#include "tenon/transform.hpp"

struct TimeLimit {
    std::int64_t max_steps;

    static constexpr auto options =
        std::tuple{tenon::required<&TimeLimit::max_steps>("max_steps", "[1,inf)", "the longest episode")};

    struct Lane {
        std::int64_t steps = 0;
    };

    static void wire(tenon::TransformSpecs& /*specs*/) {}

    static void begin(Lane& lane) { lane.steps = 0; }

    void step(Lane& lane, const tenon::TransformRow& row) const {
        if (++lane.steps >= max_steps) {
            row.truncate();
        }
    }
};
