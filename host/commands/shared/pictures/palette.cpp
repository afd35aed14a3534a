// SPDX-License-Identifier: Apache-2.0
#include "shared/pictures/palette.hpp"

#include <array>
#include <utility>

namespace tenon {

CurveColour curve_colour(std::size_t index) {
    constexpr std::array<std::pair<const char*, const char*>, 7> kColours = {{{"#0072b2", "#56b4e9"},
                                                                              {"#d55e00", "#ff9d4d"},
                                                                              {"#00805c", "#2fc796"},
                                                                              {"#b0508c", "#e39ac6"},
                                                                              {"#a37800", "#f0c845"},
                                                                              {"#5b4bb8", "#a99bf5"},
                                                                              {"#555555", "#c0c0c0"}}};
    constexpr std::array<const char*, 3> kDashes = {"", "7 4", "2 3"};
    const auto& [light, dark] = kColours[index % kColours.size()];
    return {.light = light, .dark = dark, .dashes = kDashes[index / kColours.size() % kDashes.size()]};
}

}  // namespace tenon
