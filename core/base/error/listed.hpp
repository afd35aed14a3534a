// SPDX-License-Identifier: Apache-2.0
// Several things in a sentence.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>

namespace tenon {

// All of them, as a sentence lists them: "a, b, c". `text`: of one of them, a function or a member.
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

// Their number, as a sentence counts them: "1 lane", "3 lanes". `many`: where it is not `one` with an s.
template <class Number>
std::string counted(Number number, const std::string& one, const std::string& many = "") {
    return std::to_string(number) + " " + (number == 1 ? one : many.empty() ? one + "s" : many);
}

// Things of which a sentence wants one: "a", "a or b", "a, b or c". `text`: of one of them, a function or a member.
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
