// SPDX-License-Identifier: Apache-2.0
// What a terminal can show.
#pragma once

namespace tenon {

struct TerminalStyle {
    bool redraws = false;  // can overwrite the current line
    bool colour = false;
};

// Detects by the descriptor and TERM (not "dumb") whether the terminal can redraw; colours also require that NO_COLOR
// is unset.
TerminalStyle terminal_style(int fd);

}  // namespace tenon
