// SPDX-License-Identifier: Apache-2.0
// A number as people write it: the fewest digits that read back as the same number, and no sign for a NaN.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <string>

namespace tenon {

template <std::floating_point Number>
std::string number_text(Number value) {
    if (std::isnan(value)) {
        return "nan";
    }
    std::array<char, 32> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

}  // namespace tenon
