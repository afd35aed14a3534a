// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "base/device/device.hpp"

namespace tenon {

std::optional<int> cuda_number(std::string_view name) {
    constexpr std::string_view kCuda = "cuda";
    if (name == kCuda) {
        return 0;
    }
    if (!name.starts_with("cuda:")) {
        return std::nullopt;
    }
    const std::string_view digits = name.substr(kCuda.size() + 1);
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = error == std::errc() && end == digits.data() + digits.size() && number >= 0;
    return whole ? std::optional(number) : std::nullopt;
}

bool is_device(std::string_view name) {
    return name == "emulated" || cuda_number(name).has_value();
}

}  // namespace tenon
