// SPDX-License-Identifier: Apache-2.0
// A learner that is updated on a device has slabs twice. The device has the newest values; before something on the host
// reads them, it calls fetch_to_host, and after changing the host's copies, it calls changed_on_host.
#pragma once

#include "base/error/result.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// Kinds of slabs, of all networks; a set of them is their sum.
using SlabKinds = unsigned;
inline constexpr SlabKinds kLiveSlabs = 1;
inline constexpr SlabKinds kFollowingSlabs = 2;  // targets and references
inline constexpr SlabKinds kGradientSlabs = 4;
inline constexpr SlabKinds kOptimiserSlabs = 8;
inline constexpr SlabKinds kAllSlabs = 15;

class Elsewhere {
public:
    Elsewhere() = default;
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;
    virtual ~Elsewhere() = default;

    // Copies to the host those that the device has changed. [the thread that learns]
    virtual Status bring_home(SlabKinds kinds) = 0;
    // The host has changed some; the device's are older now.
    virtual void changed_at_home() = 0;
};

// These do nothing for a learner that is on the host only.
inline Status bring_home(const Learner& learner, SlabKinds kinds) {
    return learner.elsewhere == nullptr ? Status() : learner.elsewhere->bring_home(kinds);
}
inline void changed_at_home(const Learner& learner) {
    if (learner.elsewhere != nullptr) {
        learner.elsewhere->changed_at_home();
    }
}

}  // namespace tenon
