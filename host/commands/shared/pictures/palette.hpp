// SPDX-License-Identifier: Apache-2.0
// Colours for curves that people tell apart, also with impaired colour vision (after Okabe and Ito), on a light and on
// a dark page.
#pragma once

#include <cstddef>

namespace tenon {

struct CurveColour {
    const char* light;  // on a light page
    const char* dark;
    const char* dashes;  // "" or a stroke-dasharray: the colours repeat with other dashes
};

CurveColour curve_colour(std::size_t index);

}  // namespace tenon
