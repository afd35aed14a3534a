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

class DeviceCopies {
public:
    virtual ~DeviceCopies() = default;

    // Copies slabs that the device has changed to the host. [the thread that learns]
    virtual Status fetch_to_host(SlabKinds kinds) = 0;
    // Says that the host has changed slabs, so that the device's are outdated.
    virtual void changed_on_host() = 0;
};

// These do nothing for a learner without a device.
inline Status fetch_to_host(const Learner& learner, SlabKinds kinds) {
    return learner.on_device == nullptr ? Status() : learner.on_device->fetch_to_host(kinds);
}
inline void changed_on_host(const Learner& learner) {
    if (learner.on_device != nullptr) {
        learner.on_device->changed_on_host();
    }
}

}  // namespace tenon
