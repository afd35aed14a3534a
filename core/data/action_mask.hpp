// SPDX-License-Identifier: Apache-2.0
// Action masks: an observation column "<action>_mask" says which categories of an action of categories may be taken now
// (docs/decisions/0013-action-masks.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/spec.hpp"
#include "tenon/abi/random.h"

namespace tenon {

struct ActionMask {
    std::string key;                  // "action_mask"
    std::string action;               // "action"
    std::vector<std::int64_t> parts;  // its elements, part after part: one part, or one for each index of the action

    [[nodiscard]] std::size_t size() const;
};

// Those of an env's columns, in the order of their actions.
std::vector<ActionMask> action_masks(const Composite& specs);

// Nothing where every column that is called like a mask is one, else what is wrong with the first that is not.
std::string fault_of_masks(const Composite& specs);

// Does a mask, or a part of one, allow anything?
bool allows_any(std::span<const std::uint8_t> mask);

// Does it in every part?
bool allows_any(std::span<const std::uint8_t> mask, std::span<const std::int64_t> parts);

// Draws a row of a masked action uniformly from what the mask allows, part number i with block `counter` + i of the
// stream; from all where it allows nothing, as in rows of a lane that was given up.
void draw_allowed(const Spec& action, std::span<const std::uint8_t> mask, tn_key key, std::uint64_t counter, void* row);

}  // namespace tenon
