// SPDX-License-Identifier: Apache-2.0
#include "config/option/byte_size.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tenon {
namespace {

struct Unit {
    std::string_view name;
    double bytes;
};
constexpr std::array kUnits = {Unit{"B", 1},        Unit{"kB", 1e3},     Unit{"MB", 1e6},
                               Unit{"GB", 1e9},     Unit{"TB", 1e12},    Unit{"KiB", 0x1p10},
                               Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30}, Unit{"TiB", 0x1p40}};

}  // namespace

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
    double number = 0;
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    std::string_view name = text.substr(static_cast<std::size_t>(rest - text.data()));
    if (name.starts_with(' ')) {
        name.remove_prefix(1);
    }
    const auto* const unit = std::ranges::find(kUnits, name, &Unit::name);
    const double bytes = unit == kUnits.end() ? 0 : number * unit->bytes;
    return bytes >= 1 && bytes < 0x1p63 ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
}

}  // namespace tenon
