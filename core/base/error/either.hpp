// SPDX-License-Identifier: Apache-2.0
// Several things of which a sentence wants one: "a", "a or b", "a, b or c".
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>

namespace tenon {

// `text`: of one of them, a function or a member.
template <class Range, class Text = std::identity>
std::string either(const Range& all, Text text = {}) {
    std::string out;
    std::size_t left = std::size(all);
    for (const auto& each : all) {
        --left;
        out += out.empty() ? "" : left == 0 ? " or " : ", ";
        out += std::invoke(text, each);
    }
    return out;
}

}  // namespace tenon
