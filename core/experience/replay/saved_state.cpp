// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/saved_state.hpp"

namespace tenon {

std::vector<LaneRange> live_ranges(std::span<const std::uint8_t> parked) {
    std::vector<LaneRange> out;
    for (std::uint32_t lane = 0; lane < parked.size(); ++lane) {
        if (parked[lane] != 0) {
            continue;
        }
        if (!out.empty() && out.back().first + out.back().count == lane) {
            ++out.back().count;
        } else {
            out.push_back({.first = lane, .count = 1});
        }
    }
    return out;
}

Status check_saved_by(const std::string& name, bool saves, StateSource& source) {
    const std::string other = source.text();
    const bool had_state = source.number<std::uint8_t>() != 0;
    if (source.failed()) {
        return source.status(name);
    }
    if (other == name && had_state == saves) {
        return {};
    }
    return input_problem("the saved state is of " + other + (had_state ? "" : " (which saves none)") +
                         ", but this run has " + name + (saves ? "" : " (which saves none)"));
}

}  // namespace tenon
