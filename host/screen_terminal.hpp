// SPDX-License-Identifier: Apache-2.0
// Pictures on the whole screen of the terminal.
#pragma once

#include <string>

#include "run/video/frame.hpp"

namespace tenon::host {

void clear_screen();

// In characters; 80 if standard output is no terminal.
unsigned screen_width();
// In lines; 25 if standard output is no terminal.
unsigned screen_height();

// Overwrites the screen from the top, and clears what is below the text.
void draw_text_on_screen(const std::string& text);

// As large as the window allows, over the one before; leaves some lines below it, besides the one of the cursor.
void draw_on_screen(FramePixels pixels, FrameSize size, unsigned lines_below = 0);

}  // namespace tenon::host
