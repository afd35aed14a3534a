// SPDX-License-Identifier: Apache-2.0
// The frames that a buffer begins with: what buffer.init names, another run's.
#pragma once

#include "train/wiring.hpp"

namespace tenon {

// Puts them into an empty storage of the wiring's, if there are any to put.
Status take_initial_frames(const Wiring& wiring, Storage& storage);

// Adds a problem if the wiring's storage could not take them.
void check_initial_frames(const Wiring& wiring, Problems& problems);

}  // namespace tenon
