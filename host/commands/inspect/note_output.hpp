// SPDX-License-Identifier: Apache-2.0
// Prints a plugin's note for people and for scripts.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "plugins/plugin/note.hpp"

namespace tenon::host {

struct ShownPlugin {
    std::filesystem::path path;
    std::string sha256;
    Note note;  // only with the components to be shown
};

void print_note(std::ostream& out, const ShownPlugin& plugin);
void print_note_as_json(std::ostream& out, const ShownPlugin& plugin);

}  // namespace tenon::host
