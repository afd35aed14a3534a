// SPDX-License-Identifier: Apache-2.0
#include "shared/http/target.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace tenon {
namespace {

constexpr std::size_t kMostParameters = 32;

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            unsigned value = 0;
            const std::string_view digits = text.substr(i + 1, 2);
            const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
            if (digits.size() != 2 || read.ec != std::errc{} || read.ptr != digits.data() + 2) {
                return std::nullopt;
            }
            c = static_cast<char>(value);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        if (is_control(c)) {
            return std::nullopt;
        }
        out += c;
    }
    return out;
}

bool has_plain_names(std::string_view path) {
    if (!path.starts_with('/') || path.find('\\') != std::string_view::npos) {
        return false;
    }
    path.remove_prefix(1);
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('/'));
        if (name.empty() || name == "." || name == "..") {
            return false;
        }
        path.remove_prefix(std::min(path.size(), name.size() + 1));
    }
    return true;
}

}  // namespace

std::optional<HttpTarget> read_target(std::string_view text) {
    HttpTarget out;
    const std::size_t mark = text.find('?');
    std::optional<std::string> path = decode(text.substr(0, mark), false);
    if (!path || !has_plain_names(*path)) {
        return std::nullopt;
    }
    out.path = std::move(*path);
    std::string_view rest = mark == std::string_view::npos ? "" : text.substr(mark + 1);
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        const std::size_t equal = pair.find('=');
        std::optional<std::string> name = decode(pair.substr(0, equal), true);
        std::optional<std::string> value = decode(equal == std::string_view::npos ? "" : pair.substr(equal + 1), true);
        if (!name || !value || out.query.size() == kMostParameters) {
            return std::nullopt;
        }
        out.query.insert_or_assign(std::move(*name), std::move(*value));
    }
    return out;
}

}  // namespace tenon
