// SPDX-License-Identifier: Apache-2.0
// Several things as a sentence lists them: "a, b, c".
#pragma once

#include <functional>
#include <string>

namespace tenon {

// `text`: of one of them, a function or a member.
template <class Range, class Text = std::identity>
std::string listed(const Range& all, Text text = {}) {
    std::string out;
    bool first = true;
    for (const auto& each : all) {
        out += first ? "" : ", ";
        out += std::invoke(text, each);
        first = false;
    }
    return out;
}

}  // namespace tenon
