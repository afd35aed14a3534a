// SPDX-License-Identifier: Apache-2.0
#include "shared/history/natural_order.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The digits at the start, without leading zeros; removes them from the text.
std::string_view take_number(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view left = take_number(a);
            const std::string_view right = take_number(b);
            if (left != right) {
                return left.size() != right.size() ? left.size() < right.size() : left < right;
            }
            continue;
        }
        if (a.front() != b.front()) {
            return a.front() < b.front();
        }
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.empty() && b.empty() ? whole_a < whole_b : a.empty();  // "01" and "1" are different names
}

}  // namespace tenon
