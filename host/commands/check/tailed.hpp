// SPDX-License-Identifier: Apache-2.0
// A struct of the ABI as a newer host passes it: with additional fields that the callee does not know.
#pragma once

#include <array>
#include <cstdint>

namespace tenon {

template <class Struct>
struct Tailed {
    static constexpr unsigned char kPoison = 0xA5;

    Struct value{};
    std::array<unsigned char, 64> tail{};

    Tailed(const Struct& from, bool is_newer) : value(from) {
        tail.fill(kPoison);
        value.struct_size = static_cast<std::uint32_t>(is_newer ? sizeof(Tailed) : sizeof(Struct));
    }
    [[nodiscard]] bool is_whole() const {
        for (const unsigned char byte : tail) {
            if (byte != kPoison) {
                return false;
            }
        }
        return true;
    }
};

}  // namespace tenon
