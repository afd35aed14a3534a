// SPDX-License-Identifier: Apache-2.0
// Action masks: an observation column "<action>_mask" says which categories of a categorical action are allowed at
// present (docs/decisions/0013-action-masks.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "tenon/abi/random.h"

namespace tenon {

struct ActionMask {
    std::string key;                  // "action_mask"
    std::string action;               // "action"
    std::string present;              // the column that says which agents take part; empty if they all do
    std::vector<std::int64_t> parts;  // of one agent: the number of categories, for each index of the action
    std::size_t agents = 1;           // of a group, contiguous, each with all parts

    [[nodiscard]] std::size_t of_one() const;
    [[nodiscard]] std::size_t size() const { return agents * of_one(); }
};

// The masks among an env's columns, in the order of their actions.
std::vector<ActionMask> action_masks(const Composite& specs);

// Empty if every column named like a mask is a valid one; otherwise what is wrong with the first invalid one.
std::string fault_of_masks(const Composite& specs);

// The first agent to whom a part of the mask allows nothing; none if each may choose. Absent agents are passed over
// (`present` is empty if all take part).
std::optional<std::size_t> agent_without_choice(const ActionMask& mask, std::span<const std::uint8_t> allowed,
                                                std::span<const std::uint8_t> present);

// Draws a row of a masked action uniformly from the allowed categories; part number i uses block `counter` + i of the
// stream, of all agents' parts. If the mask allows nothing, as in rows of a parked lane, it draws from all.
void draw_allowed(const Spec& action, std::span<const std::uint8_t> allowed, tn_key key, std::uint64_t counter,
                  void* row);

}  // namespace tenon
