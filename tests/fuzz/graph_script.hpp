// SPDX-License-Identifier: Apache-2.0
// Bytes as decisions of a plugin that builds a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tenon::fuzz {

// Reads bytes one after the other, and zeros after the end.
class Script {
public:
    explicit Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    [[nodiscard]] bool done() const { return at_ >= bytes_.size(); }
    std::uint8_t byte() { return done() ? 0 : bytes_[at_++]; }
    bool coin() { return byte() % 2 == 1; }
    std::size_t below(std::size_t end) { return byte() % end; }
    // Mostly small, sometimes at the ends of types.
    std::int64_t number();
    // Known names, and some invalid ones.
    std::string_view name();
    std::string_view column();

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

}  // namespace tenon::fuzz
