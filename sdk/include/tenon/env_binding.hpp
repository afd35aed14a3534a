// SPDX-License-Identifier: Apache-2.0
// What the lanes of an env share between bind and destroy: columns, the time limit, and which lanes are running.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/abi/host.h"
#include "tenon/env_spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

enum class LanePhase : std::uint8_t { kFresh, kRunning, kParked };

struct EnvBinding {
    const tn_host* host = nullptr;
    EnvColumns columns = {};
    std::uint32_t slots = 0;
    std::int64_t limit = 0;               // maximal steps of an episode; 0: no limit
    std::uint8_t* lane_status = nullptr;  // owned by the host
    std::uint8_t* needs_reset = nullptr;  // owned by the host; null: it begins no episodes in steps
    std::vector<LanePhase> phases = {};   // [lane]

    [[nodiscard]] bool any(LanePhase phase, std::uint32_t first, std::uint32_t count) const {
        return count > 0 && std::memchr(&phases[first], static_cast<int>(phase), count) != nullptr;
    }

    // Called in every step; tests eight lanes at a time.
    [[nodiscard]] bool all_run(std::uint32_t first, std::uint32_t count) const {
        constexpr std::uint64_t kEight = 0x0101010101010101U * static_cast<std::uint64_t>(LanePhase::kRunning);
        const LanePhase* at = phases.data() + first;
        const LanePhase* const end = at + count;
        for (std::uint64_t eight = kEight; end - at >= 8; at += 8) {
            std::memcpy(&eight, at, sizeof eight);
            if (eight != kEight) {
                return false;
            }
        }
        return std::all_of(at, end, [](LanePhase phase) { return phase == LanePhase::kRunning; });
    }

    // Whether this step leaves the beginning of the next episode to the host.
    [[nodiscard]] bool leaves_ends(const tn_env_step& call) const {
        return needs_reset != nullptr && (call.flags & TN_STEP_LEAVE_ENDS) != 0;
    }

    // set_error holds the sentence, which the host reports for the lane.
    void park(std::uint32_t lane, tn_status status) {
        phases[lane] = LanePhase::kParked;
        lane_status[lane] = static_cast<std::uint8_t>(status);
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
