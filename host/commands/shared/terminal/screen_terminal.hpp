// SPDX-License-Identifier: Apache-2.0
// Pictures on the whole screen of the terminal.
#pragma once

#include <string>

#include "engines/video/frame.hpp"

namespace tenon::host {

void clear_screen();

// The width in characters; 80 if standard output is no terminal.
unsigned screen_width();
// The height in lines; 25 if standard output is no terminal.
unsigned screen_height();

// Overwrites the screen from the top, and clears what is below the text.
void draw_text_on_screen(const std::string& text);

// Draws the picture as large as the window allows, over the previous one. Leaves some lines below it, in addition to
// that of the cursor.
void draw_on_screen(FramePixels pixels, FrameSize size, unsigned lines_below = 0);

}  // namespace tenon::host
