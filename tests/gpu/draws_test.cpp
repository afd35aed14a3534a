// SPDX-License-Identifier: Apache-2.0
// The samplers of replay_cuda on a GPU: what tests/unit/replay_cuda compares on the emulated device.
#include "engines/cuda/devices.hpp"
#include "support/catch.hpp"
#include "unit/replay_cuda/on_device.hpp"

namespace draws_test {
namespace {

// The first GPU, or why there is nothing to test.
std::shared_ptr<tenon::Device> gpu() {
#ifndef TENON_KERNELS_FILE
    SKIP("replay_cuda was built where there was no nvcc, so it has no kernels for a GPU");
#endif
    tenon::Result<std::shared_ptr<tenon::Device>> device = tenon::open_cuda(0, tenon::JitWhen::kNever);
    if (!device) {
        SKIP(device.error().sentence);
    }
    return *device;
}

TEST_CASE("uniform draws on a GPU are those of the CPU", "[gpu]") {
    on_device::compare_uniform(gpu());
}

TEST_CASE("sequences on a GPU are those of the CPU", "[gpu]") {
    on_device::compare_slices(gpu());
}

TEST_CASE("prioritised draws and weights on a GPU are those of the CPU", "[gpu]") {
    on_device::compare_prioritised(gpu());
}

TEST_CASE("prioritised draws on a GPU go on after loading as if nothing had happened", "[gpu]") {
    on_device::compare_loaded(gpu());
}

TEST_CASE("rows by priority, evenly and as sequences, a few batches each", "[race]") {
    on_device::compare_few(gpu());
}

}  // namespace
}  // namespace draws_test
