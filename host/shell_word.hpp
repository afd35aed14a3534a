// SPDX-License-Identifier: Apache-2.0
// Formats commands that the program prints, for a person to copy into a shell.
#pragma once

#include <string>

namespace tenon::host {

// Quotes a word for the shell, if that is necessary.
std::string shell_word(const std::string& word);

// The name of this program as it was typed: `tenon`, or `./tenon` in a clone, whose script passes on its own name.
std::string typed_program();

}  // namespace tenon::host
