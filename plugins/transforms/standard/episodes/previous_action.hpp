// SPDX-License-Identifier: Apache-2.0
// The action of the previous step, 0 at the start of an episode, as an observation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "tenon/transform.hpp"

struct PreviousAction {
    std::string action;
    std::string column;
    tenon::Port in;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::option<&PreviousAction::action>("action", "action", "which action"),
        tenon::option<&PreviousAction::column>("column", "previous_action", "the key of the observation"),
    };

    // 0 need not be within the action's bounds, and is no one-hot vector.
    void wire(tenon::TransformSpecs& specs) {
        specs.read(in, action);
        tenon::Spec spec = in.spec;
        if (spec.kind != TN_SPEC_CATEGORICAL && spec.kind != TN_SPEC_MULTI_CATEGORICAL) {
            spec = tenon::for_each_agent(in.spec,
                                         tenon::unbounded(column, tenon::of_one_agent(in.spec).shape, in.spec.dtype));
        }
        spec.key = column;
        specs.add(out, spec);
    }

    void begin(const tenon::TransformRow& row) const { std::ranges::fill(bytes(row, out), std::byte{0}); }
    // The env has ignored the action of an absent agent, so it has done nothing.
    void step(const tenon::TransformRow& row) const {
        std::ranges::copy(bytes(row, in), bytes(row, out).begin());
        for (tenon::AgentPart part{0, tenon::agents_in(in.spec)}; part.agent < part.agents; ++part.agent) {
            if (!row.takes_part(in, part.agent)) {
                std::ranges::fill(part.of(bytes(row, out)), std::byte{0});
            }
        }
    }

private:
    [[nodiscard]] static std::span<std::byte> bytes(const tenon::TransformRow& row, const tenon::Port& port) {
        return row.column(port).bytes(row.slot(port), row.lane());
    }
};
