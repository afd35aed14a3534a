// SPDX-License-Identifier: Apache-2.0
// A list of what is made of each element of another one.
#pragma once

#include <functional>
#include <vector>

namespace tenon {

// `of`: a function or a member.
template <class To, class Range, class Of>
std::vector<To> mapped(const Range& all, Of of) {
    std::vector<To> out;
    for (const auto& each : all) {
        out.push_back(To(std::invoke(of, each)));
    }
    return out;
}

}  // namespace tenon
