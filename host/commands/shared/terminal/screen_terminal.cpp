// SPDX-License-Identifier: Apache-2.0
#include "shared/terminal/screen_terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "printable_stream.hpp"
#include "shared/terminal/terminal_picture.hpp"

namespace tenon::host {

namespace {

struct ScreenSize {
    unsigned columns = 80, lines = 25;
};

ScreenSize screen_size() {
    winsize window{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && window.ws_row > 1;
    return known ? ScreenSize{window.ws_col, window.ws_row} : ScreenSize{};
}

}  // namespace

void clear_screen() {
    draw(std::cout, "\x1b[2J");
}

unsigned screen_width() {
    return screen_size().columns;
}

unsigned screen_height() {
    return screen_size().lines;
}

void draw_text_on_screen(const std::string& text) {
    std::string lines = "\x1b[H";
    for (const char c : text) {
        lines += c == '\n' ? "\x1b[K\n" : std::string(1, c);  // also clears the rest of a line
    }
    draw(std::cout, lines + "\x1b[K\x1b[J");
}

void draw_on_screen(FramePixels pixels, FrameSize size, unsigned lines_below) {
    const ScreenSize screen = screen_size();
    const unsigned lines = std::max(screen.lines, lines_below + 2) - lines_below - 1;
    draw(std::cout, "\x1b[H" + terminal_picture(pixels, size, screen.columns, lines));
}

}  // namespace tenon::host
