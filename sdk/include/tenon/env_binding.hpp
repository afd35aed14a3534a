// SPDX-License-Identifier: Apache-2.0
// What the lanes of an env share between bind and destroy: columns, the time limit, and which lanes are running.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

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
    std::int64_t limit = 0;               // steps of an episode; 0: any number
    std::uint8_t* lane_status = nullptr;  // the host's
    std::vector<LanePhase> phases = {};   // [lane]

    [[nodiscard]] bool any(LanePhase phase, std::uint32_t first, std::uint32_t count) const {
        return count > 0 && std::memchr(&phases[first], static_cast<int>(phase), count) != nullptr;
    }

    // The sentence has gone to set_error; the host reports the lane with it.
    void park(std::uint32_t lane, tn_status status) {
        phases[lane] = LanePhase::kParked;
        lane_status[lane] = static_cast<std::uint8_t>(status);
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
