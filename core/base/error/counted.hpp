// SPDX-License-Identifier: Apache-2.0
// Several things as a sentence counts them: "1 lane", "3 lanes".
#pragma once

#include <string>

namespace tenon {

// `many`: where it is not `one` with an s.
template <class Number>
std::string counted(Number number, const std::string& one, const std::string& many = "") {
    return std::to_string(number) + " " + (number == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace tenon
