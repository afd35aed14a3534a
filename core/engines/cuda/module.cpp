// SPDX-License-Identifier: Apache-2.0
// The exports of the module.
#include "compute/exec/build_id.hpp"
#include "engines/cuda/engine.hpp"

extern "C" {

__attribute__((visibility("default"))) const char* tenon_module_build() {
    return tenon::build_id();
}

__attribute__((visibility("default"))) const tenon::DeviceEngine* tenon_device_engine() {
    return &tenon::device_engine();
}
}
