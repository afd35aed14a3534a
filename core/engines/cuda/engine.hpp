// SPDX-License-Identifier: Apache-2.0
// The functions that this module offers.
#pragma once

#include "compute/exec/device_engine.hpp"

namespace tenon {

const DeviceEngine& device_engine();

}  // namespace tenon
