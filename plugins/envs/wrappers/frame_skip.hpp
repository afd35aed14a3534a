// SPDX-License-Identifier: Apache-2.0
// Repeats every action. Rewards are added up, and the end of an episode ends the step.
#pragma once

#include <cstdint>
#include <tuple>

#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct FrameSkip {
    std::int64_t steps;

    static constexpr auto options = std::tuple{
        tenon::option<&FrameSkip::steps>("steps", 4, "[1,1000]", "steps of the inner env for each action"),
    };
};
