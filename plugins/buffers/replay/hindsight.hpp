// SPDX-License-Identifier: Apache-2.0
// Uniform replay with goals from hindsight (Andrychowicz et al. 2017): beside each row it gathers what the episode
// achieved later, which can take the place of the goal. What becomes of goal, reward and end is up to functions that
// [columns] names, for example those of goals/hindsight.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "tenon/sampler.hpp"

struct Hindsight {
    std::string strategy;
    double ratio = 0.8;
    std::string achieved;

    [[nodiscard]] tenon::SamplerPlan plan() const {
        return {.gathers = {{.source = "*"}, {.source = "next." + achieved, .target = "hindsight.goal", .array = 1}},
                .columns = {{.key = "hindsight.relabelled", .dtype = TN_BOOL}},
                .arrays = 2};
    }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        const std::span<bool> relabelled = rows.column<bool>(0);
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const tenon::SlotLane at = buffer.at(rng.below(buffer.size()));
            relabelled[row] = rng.uniform() < ratio;
            rows.set(row, at);
            rows.set(row, relabelled[row] ? later(rng, buffer, at) : at, 1);
        }
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Hindsight::strategy>(
            "strategy", "future", "future|final",
            "the step whose achievement becomes the goal: one of the rest of the episode, or its last one"),
        tenon::option<&Hindsight::ratio>("ratio", 0.8, "[0,1]", "share of rows that get such a goal"),
        tenon::option<&Hindsight::achieved>("achieved", "achieved_goal", "", "the column of what is achieved")};

private:
    // A step of the same episode, not before `at`; of an episode that still runs, among those that are held.
    [[nodiscard]] tenon::SlotLane later(tenon::Rng& rng, const tenon::Transitions& buffer, tenon::SlotLane at) const {
        std::uint64_t steps = 1;
        tenon::SlotLane last = at;
        for (; buffer.goes_on(last); ++steps) {
            last = buffer.after(last);
        }
        return strategy == "final" ? last : buffer.after(at, rng.below(steps));
    }
};
