// SPDX-License-Identifier: Apache-2.0
// The state of one component in a checkpoint: its name, whether it saves any state, and the bytes for each range of
// lanes. Their number is saved as well, so that reading too few or too many is detected.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/data/state_bytes.hpp"
#include "base/data/state_stream.hpp"
#include "base/error/listed.hpp"
#include "experience/replay/callee.hpp"

namespace tenon {

struct LaneRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// The range that is passed to a component without lanes.
inline constexpr LaneRange kNoLanes[] = {{.first = 0, .count = 0}};

// The lanes whose byte is 0, as a minimal list of ranges.
std::vector<LaneRange> live_ranges(std::span<const std::uint8_t> parked);

// Reads what save_state writes first. A problem if the state belongs to another component, or if only one of the two
// saves any.
Status check_saved_by(const std::string& name, bool saves, StateSource& source);

template <class Api>
Status save_state(const Callee<Api>& component, std::span<const LaneRange> ranges, StateSink& sink) {
    sink.text(component.name);
    sink.number<std::uint8_t>(component.state != nullptr ? 1 : 0);
    if (component.state == nullptr) {
        return {};
    }
    for (const LaneRange& range : ranges) {
        StateBytes bytes;
        const tn_writer writer = bytes.writer();
        TENON_TRY(component.call("save", component.state->save, range.first, range.count, &writer));
        sink.number<std::uint64_t>(bytes.data.size());
        sink.bytes(bytes.data.data(), bytes.data.size());
    }
    return {};
}

template <class Api>
Status load_state(const Callee<Api>& component, std::span<const LaneRange> ranges, StateSource& source) {
    if (Status same = check_saved_by(component.name, component.state != nullptr, source);
        !same || component.state == nullptr) {
        return same;
    }
    for (const LaneRange& range : ranges) {
        StateBytes bytes;
        if (!source.blob(bytes.data)) {
            return source.status(component.name);
        }
        const tn_reader reader = bytes.reader();
        TENON_TRY(component.call("load", component.state->load, range.first, range.count, &reader));
        if (bytes.at != bytes.data.size()) {
            return component.problem("it read only " + std::to_string(bytes.at) + " of the " +
                                     counted(bytes.data.size(), "byte") + " that it saved");
        }
    }
    return {};
}

}  // namespace tenon
