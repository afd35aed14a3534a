// SPDX-License-Identifier: Apache-2.0
// Action masks: an observation column "<action>_mask" says which categories of a categorical action are allowed at
// present (docs/decisions/0013-action-masks.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/data/spec.hpp"
#include "tenon/abi/random.h"

namespace tenon {

struct ActionMask {
    std::string key;                  // "action_mask"
    std::string action;               // "action"
    std::vector<std::int64_t> parts;  // number of categories: one part, or one for each index of the action

    [[nodiscard]] std::size_t size() const;
};

// The masks among an env's columns, in the order of their actions.
std::vector<ActionMask> action_masks(const Composite& specs);

// Empty if every column named like a mask is a valid one; otherwise what is wrong with the first invalid one.
std::string fault_of_masks(const Composite& specs);

// Whether a mask, or a part of one, allows anything.
bool allows_any(std::span<const std::uint8_t> mask);

// Whether every part allows something.
bool allows_any(std::span<const std::uint8_t> mask, std::span<const std::int64_t> parts);

// Draws a row of a masked action uniformly from the allowed categories; part number i uses block `counter` + i of the
// stream. If the mask allows nothing, as in rows of a parked lane, it draws from all.
void draw_allowed(const Spec& action, std::span<const std::uint8_t> mask, tn_key key, std::uint64_t counter, void* row);

}  // namespace tenon
