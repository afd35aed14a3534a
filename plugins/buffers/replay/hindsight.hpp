// SPDX-License-Identifier: Apache-2.0
// Uniform replay with goals from hindsight (Andrychowicz et al. 2017): for each row it also gathers what was achieved
// at another step, mostly a later one of the episode, which can take the place of the goal. What becomes of goal,
// reward and end is up to functions that [columns] names, for example those of goals/hindsight.
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
            rows.set(row, relabelled[row] ? goal(rng, buffer, at) : at, 1);
        }
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Hindsight::strategy>(
            "strategy", "future", "future|final|episode|random",
            "the step whose achievement becomes the goal: one of the rest of the episode, its last one, any of its "
            "steps, or any step of the buffer"),
        tenon::option<&Hindsight::ratio>("ratio", 0.8, "[0,1]", "share of rows that get such a goal"),
        tenon::option<&Hindsight::achieved>("achieved", "achieved_goal", "", "the column of what is achieved")};

private:
    // A step of the row's episode, as far as it is held, or of any.
    [[nodiscard]] tenon::SlotLane goal(tenon::Rng& rng, const tenon::Transitions& buffer, tenon::SlotLane at) const {
        if (strategy == "random") {
            return buffer.at(rng.below(buffer.size()));
        }
        tenon::SlotLane first = at;
        while (strategy == "episode" && buffer.came_from(first)) {
            first = buffer.before(first);
        }
        std::uint64_t steps = 1;
        tenon::SlotLane last = first;
        for (; buffer.goes_on(last); ++steps) {
            last = buffer.after(last);
        }
        return strategy == "final" ? last : buffer.after(first, rng.below(steps));
    }
};
