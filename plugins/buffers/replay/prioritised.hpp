// SPDX-License-Identifier: Apache-2.0
// Prioritised replay of transitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "by_priority.hpp"
#include "n_step.hpp"

class Prioritised : public ByPriority, public NStep {
public:
    [[nodiscard]] tenon::SamplerPlan plan() const {
        return tenon::with_steps({.gathers = {{.source = "*"}}, .columns = {{.key = "weight"}}}, steps);
    }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        begin(buffer);
        follow(
            buffer, [&](tenon::SlotLane at, std::uint32_t /*lane*/, Item newest) { put(at, newest); },
            [](std::uint32_t /*lane*/) {});
        draw(rng, rows.size());
        const std::span<float> real = steps > 1 ? rows.column<float>(1) : std::span<float>();
        const Until leaving{until};
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            set_steps(buffer, rows, row, drawn(row), steps, real, leaving);
        }
        weigh(rows.column<float>(0));
    }

    void prioritise(const tenon::Priorities& rows) {
        take(
            rows.size(), [&](std::size_t row) { return shaped(rows[static_cast<std::uint32_t>(row)]); },
            [&](std::size_t row) { return rows.at(static_cast<std::uint32_t>(row)); });
    }

    void state(tenon::Archive& archive) { archive_items(archive); }

    static constexpr auto options = std::tuple_cat(ByPriority::options, NStep::options);
};
