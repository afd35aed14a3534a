// SPDX-License-Identifier: Apache-2.0
// The module of the reference executor, and the libtorch that it finds.
#pragma once

#include <filesystem>
#include <string>

#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "plugins/plugin/library.hpp"

namespace tenon {

// Maps libtenon_torch.so and, with it, libtorch, which takes most of the start-up time of a short run. Refuses a
// libtorch whose version differs from the one with which the module was built.
Result<Library> load_reference_module();

// Whether the module could not be loaded because libtorch is missing, and not for another reason such as a lack of
// memory.
bool lacks_libtorch(const Problem& problem);

struct Libtorch {
    std::filesystem::path path;
    std::string version;     // "2.13.0+cpu"; empty if no file of its package says
    std::string lacks_cuda;  // as a clause; empty: it computes on GPUs
};

// Why the reference executor cannot compute on a device of this type, as a clause; empty: it can.
std::string libtorch_lacks(const Device& device);

// The libtorch that the reference executor uses.
Result<Libtorch> find_libtorch();

}  // namespace tenon
