// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/grouping.hpp"

#include <algorithm>

namespace tenon::compiled::device {

std::vector<std::size_t> group(std::span<const Grouped> works) {
    std::vector<std::size_t> out;
    std::vector<std::size_t> put_off;
    const auto take_them = [&] {
        out.insert(out.end(), put_off.begin(), put_off.end());
        put_off.clear();
    };
    for (std::size_t i = 0; i < works.size(); ++i) {
        if (works[i].small) {
            put_off.push_back(i);
            continue;
        }
        // Adds all waiting works if one of them is needed: this takes no further launch.
        if (std::ranges::any_of(put_off,
                                [&](std::size_t one) { return must_wait(works[i].accesses, works[one].accesses); })) {
            take_them();
        }
        out.push_back(i);
    }
    take_them();
    return out;
}

}  // namespace tenon::compiled::device
