// SPDX-License-Identifier: Apache-2.0
// Numbers in the texts of manifests and options.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tenon {

// The number, if the whole text is one.
inline std::optional<double> number_in(std::string_view text) {
    double value = 0;
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const std::from_chars_result read = std::from_chars(begin, end, value);
    return read.ec == std::errc{} && read.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace tenon
