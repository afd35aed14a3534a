// SPDX-License-Identifier: Apache-2.0
// Several steps per row: each row has one index array for the first step and one for each later step. The later indices
// stay at the last step where the episode ends, or where the lane holds no newer step. Agents of a group that leave an
// episode early each have a last step of their own, but a row has one: the first at which any of them leaves. The row
// bootstraps after it for all of them, so no row needs steps after an agent's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tenon/sampler.hpp"

// Columns that say who is present (NAME.present) and whose life ends with a step (all others): those that the sampler
// reads after the first `before`.
struct Until {
    std::span<const std::string> columns = {};
    std::size_t before = 0;
};

// Whether an agent leaves with a step after which the buffer holds another.
inline bool leaves(const tenon::Transitions& buffer, tenon::SlotLane at, const Until& until) {
    for (std::size_t i = 0; i < until.columns.size(); ++i) {
        const bool presence = std::string_view(until.columns[i]).ends_with("present");
        const std::size_t column = until.before + i;
        for (std::size_t agent = 0; agent < buffer.numbers(column); ++agent) {
            const bool now = buffer.number(at, column, agent) != 0;
            if (now && (!presence || buffer.number(buffer.after(at), column, agent) == 0)) {
                return true;
            }
        }
    }
    return false;
}

// The steps of a row after its first.
[[gnu::noinline]] inline void set_later_steps(const tenon::Transitions& buffer, const tenon::SampleRows& rows,
                                              std::uint32_t row, tenon::SlotLane first, std::uint32_t steps,
                                              std::span<float> real, const Until& until) {
    std::uint32_t taken = 1;
    tenon::SlotLane at = first;
    for (std::uint32_t array = 1; array < steps; ++array) {
        if (taken == array && buffer.goes_on(at) && !leaves(buffer, at, until)) {
            at = buffer.after(at);
            ++taken;
        }
        rows.set(row, at, array);
    }
    real[row] = static_cast<float>(taken);
}

// Sets a row that starts at `first`; `real` has one element per row if there are several steps. Small, so that it is
// inlined: most rows have one step.
inline void set_steps(const tenon::Transitions& buffer, const tenon::SampleRows& rows, std::uint32_t row,
                      tenon::SlotLane first, std::uint32_t steps, std::span<float> real, const Until& until = {}) {
    rows.set(row, first);
    if (steps > 1) {
        set_later_steps(buffer, rows, row, first, steps, real, until);
    }
}

// The options of samplers whose rows have `steps` steps.
struct NStep {
    std::uint32_t steps = 1;
    std::vector<std::string> until;

    [[nodiscard]] std::vector<tenon::ReadColumn> reads() const {
        std::vector<tenon::ReadColumn> out;
        for (const std::string& column : until) {
            if (steps > 1) {
                out.push_back({.key = column, .elements = 0});
            }
        }
        return out;
    }

    static constexpr auto options = std::tuple{
        tenon::option<&NStep::steps>("n_step", 1, "[1,1000]", "consecutive steps of an episode in a row (n-step)"),
        tenon::option<&NStep::until>(
            "until", {}, "",
            "columns that say when an agent of a group leaves, such as [\"agents.present\", \"agents.terminated\"]: "
            "with n_step, a row ends where any of them leaves")};
};
