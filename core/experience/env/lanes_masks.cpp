// SPDX-License-Identifier: Apache-2.0
// Ends the run before a policy acts on an action mask that allows nothing.
#include <utility>

#include "base/data/key.hpp"
#include "experience/env/lanes_state.hpp"

namespace tenon {
namespace {

bool leaves_nothing(const View& view, const ActionMask& mask, std::uint32_t slot, std::uint32_t lane) {
    const auto* const row = static_cast<const std::uint8_t*>(row_at(view, slot, lane));
    return !allows_any({row, mask.size()}, mask.parts);
}

}  // namespace

void Lanes::State::bind_masks() {
    masks.clear();
    const ColumnTable& outer = columns.sides.back();
    for (ActionMask& mask : action_masks(sides.back())) {
        const View now = *outer.find(mask.key);
        const View final = *outer.find(join_keys("next", mask.key));
        masks.push_back({.mask = std::move(mask), .now = now, .final = final});
    }
}

Status Lanes::State::check_masks(std::uint32_t now, std::optional<std::uint32_t> before) const {
    for (const auto& [mask, current, final] : masks) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (storage->parked()[lane] != 0) {
                continue;
            }
            // Nothing acts on the observation after a termination, but the one after a truncation is used to bootstrap.
            const std::size_t at = before ? std::size_t{*before} * lanes + lane : 0;
            const bool valued = before && storage->truncated()[at] != 0 && storage->terminated()[at] == 0;
            if (leaves_nothing(current, mask, now, lane) || (valued && leaves_nothing(final, mask, *before, lane))) {
                return env.outermost().problem("the column '" + mask.key + "' allows no '" + mask.action +
                                               "' in lane " + std::to_string(lane) +
                                               "; terminate an episode that has no possible action");
            }
        }
    }
    return {};
}

}  // namespace tenon
