// SPDX-License-Identifier: Apache-2.0
// The number of steps of the episode, 0 at its start, as an observation. The same as the step_count of TorchRL's
// StepCounter; its max_steps is the transform time_limit.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tenon/transform.hpp"

struct StepCounter {
    std::string column;
    tenon::Port out;

    static constexpr auto options =
        std::tuple{tenon::option<&StepCounter::column>("column", "step_count", "the key of the count")};

    struct Lane {
        std::int64_t steps = 0;
    };

    void wire(tenon::TransformSpecs& specs) {
        specs.add(out, tenon::bounded(column, {}, 0, std::numeric_limits<double>::infinity(), TN_I64));
    }

    void begin(Lane& lane, const tenon::TransformRow& row) const {
        lane.steps = 0;
        row.row<std::int64_t>(out)[0] = 0;
    }

    void step(Lane& lane, const tenon::TransformRow& row) const { row.row<std::int64_t>(out)[0] = ++lane.steps; }
};
