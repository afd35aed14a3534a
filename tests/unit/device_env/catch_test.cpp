// SPDX-License-Identifier: Apache-2.0
// Catch on the emulated device: an observation of bytes whose size is an option.
#include "small/falling_ball.hpp"
#include "unit/device_env/on_device.hpp"

namespace catch_test {
namespace {

TEST_CASE("Catch on the device has the bytes of the CPU") {
    const auto wide = [](auto& options) {
        options["rows"].integer = 7;
        options["columns"].integer = 5;
    };
    on_device::compare(tenon::open_emulated(), tenon::env<FallingBall>("x", "x"), on_device::choice(3), wide, 40);
}

}  // namespace
}  // namespace catch_test
