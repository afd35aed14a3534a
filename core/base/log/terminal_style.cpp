// SPDX-License-Identifier: Apache-2.0
#include "base/log/terminal_style.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tenon {

TerminalStyle terminal_style(int fd) {
    const char* term = std::getenv("TERM");
    const char* no_colour = std::getenv("NO_COLOR");
    const bool able = isatty(fd) == 1 && term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
    return {.redraws = able, .colour = able && (no_colour == nullptr || *no_colour == '\0')};
}

}  // namespace tenon
