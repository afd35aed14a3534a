// SPDX-License-Identifier: Apache-2.0
// What a program has become, for people: its graph with gradients and the instructions that run, as text and as a
// picture.
#pragma once

#include <filesystem>
#include <string>

#include "compiled/specialised.hpp"
#include "error/result.hpp"

namespace tenon::compiled {

// "update-B128-due1": of a name, sizes and due stages.
std::string name_of(const std::string& program, const Specialised& made);

std::string text_of(const Specialised& made);

// One instruction, in a line.
std::string text_of(const Listing& listing, const Instruction& instruction);

// An SVG: an instruction a line, arcs from whoever writes a value to whoever reads it.
std::string picture_of(const Specialised& made);

// Of a program that is left to the reference executor: NAME.txt with the line that says why.
Status dump_left(const std::filesystem::path& folder, const std::string& program, const std::string& line);

// NAME.txt and NAME.svg in the folder.
Status dump(const std::filesystem::path& folder, const std::string& program, const Specialised& made);

}  // namespace tenon::compiled
