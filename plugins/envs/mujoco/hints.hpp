// SPDX-License-Identifier: Apache-2.0
// What a mistaken expression probably means: ends of the sentences about it, each "; ..." or empty.
#pragma once

#include <string>
#include <string_view>

#include <mujoco/mujoco.h>

namespace physics {

// The hint for a word that is neither an array nor a function.
std::string hint_of_word(std::string_view word, const mjModel& model);

// The hint for text that cannot be parsed, which is often written in another language.
std::string hint_of_text(std::string_view rest);

}  // namespace physics
