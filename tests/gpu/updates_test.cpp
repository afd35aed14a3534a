// SPDX-License-Identifier: Apache-2.0
// The kernels of updates on a GPU: what tests/unit/update_kernels compares on the emulated device.
#include "engines/cuda/devices.hpp"
#include "engines/cuda/nvrtc.hpp"
#include "support/catch.hpp"
#include "unit/update_kernels/chains.hpp"
#include "unit/update_kernels/draws.hpp"
#include "unit/update_kernels/elementwise.hpp"
#include "unit/update_kernels/images.hpp"
#include "unit/update_kernels/loops.hpp"
#include "unit/update_kernels/products.hpp"
#include "unit/update_kernels/reductions.hpp"
#include "unit/update_kernels/rows.hpp"
#include "unit/update_kernels/scans.hpp"
#include "unit/update_kernels/short_rows.hpp"
#include "unit/update_kernels/wide_products.hpp"

namespace updates_test {
namespace {

using namespace on_device;

// The first GPU, or why there is nothing to test.
std::shared_ptr<Device> gpu(JitWhen jit = JitWhen::kNever) {
    Result<std::shared_ptr<Device>> device = open_cuda(0, jit);
    if (!device) {
        SKIP(device.error().sentence);
    }
    if (const auto kernels = device::load_kernels(**device); !kernels) {
        SKIP(kernels.error().sentence);
    }
    return *device;
}

// A few sizes of each kernel whose threads share memory, for a tool that takes seconds for each launch.
void try_sharing(const std::shared_ptr<Device>& device) {
    try_products(device, 3);
    try_long_product(device, 2, 70, 9, 1024, false, true);
    try_long_product(device, 1, 70, 40, 1500, true, false);
    try_long_product(device, 1, 2, 64, 32'000, true, false);
    reduction(Code::kSum, {9, 70}, {false, true}, false).run(device);
    reduction(Code::kMax, {512, 6}, {true, false}, false).run(device);
    reduction(Code::kSum, {1025, 6}, {true, false}, false).run(device, false);
    reduction(Code::kSum, {20'000, 3}, {true, true}, false).run(device, false);
    try_rows(device);
}

TEST_CASE("products on a GPU have the CPU's bits", "[gpu]") {
    NEEDS_FMA();
    try_products(gpu());
    try_long_products(gpu());
    try_all_gradients(gpu());
}

TEST_CASE("products of many rows on a GPU have the CPU's bits", "[gpu]") {
    NEEDS_FMA();
    try_wide_products(gpu(), 4);
    try_large_products(gpu());
}

TEST_CASE("works of many kinds on a GPU wait for what other blocks write", "[gpu]") {
    NEEDS_FMA();
    try_chains(gpu());
}

TEST_CASE("elementwise operations on a GPU have the CPU's bits", "[gpu]") {
    NEEDS_FMA();
    try_elementwise(gpu());
    try_long_loops(gpu());
}

TEST_CASE("loops compiled at run time have the CPU's bits on a GPU", "[gpu]") {
    NEEDS_FMA();
    const std::shared_ptr<Device> device = gpu(JitWhen::kAlways);
    if (const auto found = nvrtc::find(); !found) {
        SKIP(found.error().sentence);
    }
    try_all_elementwise(device, 3);
    try_long_loops(device, 3);
    try_large_loops(device, 3);
}

TEST_CASE("sums, extremes, rows and images on a GPU have the CPU's bits", "[gpu]") {
    try_reductions(gpu());
    try_short_rows(gpu());
    try_rows(gpu());
    try_out_of_range(gpu());
    try_imports(gpu());
    try_images(gpu());
}

TEST_CASE("draws, estimators and scans over time on a GPU have the CPU's bits", "[gpu]") {
    try_draws(gpu());
    try_scans(gpu());
    try_memories(gpu());
}

TEST_CASE("products, reductions and choices of rows, a few sizes each", "[race]") {
    NEEDS_FMA();
    try_sharing(gpu());
    try_wide_products(gpu(), 200);
}

}  // namespace
}  // namespace updates_test
