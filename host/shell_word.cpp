// SPDX-License-Identifier: Apache-2.0
#include "shell_word.hpp"

#include <cerrno>  // program_invocation_name
#include <string_view>

namespace tenon::host {

std::string shell_word(const std::string& word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
        return word;
    }
    std::string out = "'";
    for (const char c : word) {
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return out + "'";
}

std::string typed_program() {
    return shell_word(program_invocation_name);
}

}  // namespace tenon::host
