// SPDX-License-Identifier: Apache-2.0
// Which CUDA devices this machine has. Nothing is allocated on them.
#pragma once

#include <string>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct FoundDevice {
    std::string name;   // for run.device: "cuda:1"
    std::string model;  // "NVIDIA H100 80GB HBM3"
    int arch = 0;       // 90: sm_90
    int units = 0;      // multiprocessors
};

// At least one. The problem: no driver, one that is too old, no device.
Result<std::vector<FoundDevice>> find_devices();

}  // namespace tenon
