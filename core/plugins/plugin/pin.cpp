// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/pin.hpp"

#include <algorithm>

#include "base/file/sha256.hpp"

namespace tenon {

Status check_pin_form(const Pin& pin) {
    const bool digits = pin.sha256.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (pin.sha256.size() != 64 || !digits) {
        return input_problem(
            "the pin of '" + pin.library + "' must be a SHA-256 of 64 hexadecimal digits, but is '" + pin.sha256 + "'",
            pin.place);
    }
    return {};
}

Status check_pin(const Pin& pin, const std::filesystem::path& file) {
    const std::string found = TENON_TRY(sha256_of_file(file));
    std::string wanted = pin.sha256;
    std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                   [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (found != wanted) {
        return plugin_problem(
            file.string() + " is not the pinned file: its SHA-256 is " + found + ", but the pin is " + wanted,
            pin.place, "if you want this change, pin the new hash; workers on other machines need the trainer's files");
    }
    return {};
}

}  // namespace tenon
