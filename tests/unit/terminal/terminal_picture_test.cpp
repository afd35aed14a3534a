// SPDX-License-Identifier: Apache-2.0
// Pictures as text: each character is two pixels, the upper one in the foreground.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shared/terminal/terminal_picture.hpp"
#include "support/catch.hpp"

namespace terminal_picture_test {

using tenon::FrameSize;
using tenon::terminal_picture;

TEST_CASE("two pixels, one above the other, become one character") {
    const std::vector<std::uint8_t> pixels = {255, 0, 0, 0, 0, 255};
    CHECK(terminal_picture(pixels, {.height = 2, .width = 1}, 80, 24) ==
          "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[0m\n");
}

TEST_CASE("the last row of an odd number has no background") {
    const std::vector<std::uint8_t> pixels = {1, 2, 3};
    CHECK(terminal_picture(pixels, {.height = 1, .width = 1}, 80, 24) == "\x1b[38;2;1;2;3m▀\x1b[0m\n");
}

TEST_CASE("a picture shrinks to the mean of its pixels until it fits") {
    const std::vector<std::uint8_t> pixels = {0, 0, 0, 100, 100, 100, 200, 200, 200, 100, 100, 100};
    CHECK(terminal_picture(pixels, {.height = 2, .width = 2}, 1, 1) == "\x1b[38;2;100;100;100m▀\x1b[0m\n");
    const std::vector<std::uint8_t> wide(std::size_t{3} * 400 * 600);
    const std::string text = terminal_picture(wide, {.height = 400, .width = 600}, 80, 24);
    CHECK(std::ranges::count(text, '\n') <= 24);
    CHECK(std::ranges::count(text, '\n') >= 23);
}

}  // namespace terminal_picture_test
