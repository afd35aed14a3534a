// SPDX-License-Identifier: Apache-2.0
// The samplers of replay_cuda on the emulated device.
#include "engines/cuda/devices.hpp"
#include "support/catch.hpp"
#include "unit/replay_cuda/on_device.hpp"

namespace draws_test {
namespace {

TEST_CASE("uniform draws on the device are those of the CPU") {
    on_device::compare_uniform(tenon::open_emulated());
}

TEST_CASE("sequences on the device are those of the CPU") {
    on_device::compare_slices(tenon::open_emulated());
}

TEST_CASE("prioritised draws and weights on the device are those of the CPU") {
    on_device::compare_prioritised(tenon::open_emulated());
}

TEST_CASE("prioritised draws on the device go on after loading as if nothing had happened") {
    on_device::compare_loaded(tenon::open_emulated());
}

}  // namespace
}  // namespace draws_test
