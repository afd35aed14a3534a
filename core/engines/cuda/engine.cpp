// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/engine.hpp"

#include "engines/cuda/devices.hpp"
#include "engines/cuda/frames/ring.hpp"
#include "engines/cuda/gradient_link.hpp"
#include "engines/cuda/nvrtc.hpp"
#include "engines/cuda/on_device.hpp"

namespace tenon {

const DeviceEngine& device_engine() {
    static constexpr DeviceEngine kEngine = {.open_cuda = &open_cuda,
                                             .open_emulated = &open_emulated,
                                             .find_devices = &find_devices,
                                             .find_compiler = &nvrtc::find,
                                             .check_runs = &compiled::device::check_runs,
                                             .check_steps = &compiled::device::check_steps,
                                             .slabs = &compiled::device::slabs_of,
                                             .make_phases = &compiled::device::make_phases,
                                             .make_ring = &frames::make_ring,
                                             .links = &compiled::device::kDeviceLinks};
    return kEngine;
}

}  // namespace tenon
