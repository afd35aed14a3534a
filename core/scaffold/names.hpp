// SPDX-License-Identifier: Apache-2.0
// How a plugin may be called, and what follows from its name.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

// Why a new plugin cannot have this name, as a sentence; empty if it can.
std::string fault_of_plugin_name(std::string_view name);

// "hill_climb" as a type: HillClimb.
std::string type_name_of(std::string_view name);

// Whether a word stands in the text, with no letter, digit or '_' beside it.
bool has_word(std::string_view text, std::string_view word);

// The text with every such word exchanged for another.
std::string with_word(std::string_view text, std::string_view word, std::string_view other);

}  // namespace tenon
