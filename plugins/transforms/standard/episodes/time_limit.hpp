// SPDX-License-Identifier: Apache-2.0
// Truncates episodes after a number of steps, like the max_steps of TorchRL's StepCounter. The env's own limit remains:
// the shorter one applies.
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
    static tenon::Arithmetic arithmetic(tenon::ColumnIndex /*which*/) { return {}; }  // it changes no column

    static void begin(Lane& lane) { lane.steps = 0; }

    void step(Lane& lane, const tenon::TransformRow& row) const {
        if (++lane.steps >= max_steps) {
            row.truncate();
        }
    }
};
