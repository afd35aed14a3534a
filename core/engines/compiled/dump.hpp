// SPDX-License-Identifier: Apache-2.0
// Shows a compiled program to people: its graph with gradients, and its instructions as text and as a picture.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.hpp"
#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {

// "update-B128-due1": the name, the sizes and the due stages.
std::string name_of(const std::string& program, const Specialised& made);

std::string text_of(const Specialised& made);

// One instruction as a line.
std::string text_of(const Listing& listing, const Instruction& instruction);

// An SVG with one instruction per line and an arc from the writer of each value to its readers.
std::string picture_of(const Specialised& made);

// For a program that stays on the reference executor: NAME.txt with the line that says why.
Status dump_left(const std::filesystem::path& folder, const std::string& program, const std::string& line);

// Writes NAME.txt and NAME.svg to the folder.
Status dump(const std::filesystem::path& folder, const std::string& program, const Specialised& made);

}  // namespace tenon::compiled
