// SPDX-License-Identifier: Apache-2.0
// A picture as text for a terminal with 24-bit colours: each character shows two pixels, one above the other.
#pragma once

#include <cstdint>
#include <string>

#include "engines/video/frame.hpp"

namespace tenon {

// At most that many characters wide and lines high, each line ended by a newline. The picture is scaled down by the
// mean of the pixels that a character's half covers, and is never scaled up.
std::string terminal_picture(FramePixels frame, FrameSize size, std::uint32_t columns, std::uint32_t lines);

}  // namespace tenon
