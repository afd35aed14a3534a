// SPDX-License-Identifier: Apache-2.0
// Access to parts of an untrusted file: nothing if they are out of bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon {

inline std::optional<std::string_view> slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) {
        return std::nullopt;
    }
    return bytes.substr(offset, size);
}

template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
    const auto found = slice(bytes, offset, sizeof(T));
    if (!found) {
        return std::nullopt;
    }
    T out;
    found->copy(reinterpret_cast<char*>(&out), sizeof out);
    return out;
}

}  // namespace tenon
