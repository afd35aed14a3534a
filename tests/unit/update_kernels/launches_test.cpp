// SPDX-License-Identifier: Apache-2.0
// The kernels of updates on the emulated device.
#include "engines/cuda/product_choice.hpp"
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

namespace launches_test {

using namespace on_device;

TEST_CASE("products have the CPU's bits") {
    NEEDS_FMA();
    try_products(open_emulated());
    try_long_products(open_emulated());
}

TEST_CASE("a product adds up the gradient of the bias, too") {
    NEEDS_FMA();
    try_all_gradients(open_emulated());
}

TEST_CASE("products of many rows have the CPU's bits") {
    NEEDS_FMA();
    try_wide_products(open_emulated(), 4);
    try_large_products(open_emulated());
}

TEST_CASE("products of very many rows have tiles of many rows") {
    device::ProductWork work{};
    work.batch = 1;
    work.n = 256;
    work.k = 256;
    for (const std::int64_t rows : {65'536, 1'048'576, 8'000'000}) {
        work.m = rows;
        CAPTURE(rows);
        CHECK(device::choose_product(work, false, 132).kernel == device::Kernel::kProductWide);
    }
}

TEST_CASE("every elementwise operation has the CPU's bits") {
    NEEDS_FMA();
    try_elementwise(open_emulated());
}

TEST_CASE("a loop of many operations keeps few values at a time, and writes those that are read") {
    NEEDS_FMA();
    try_long_loops(open_emulated());
}

TEST_CASE("sums and extremes have the CPU's bits") {
    try_reductions(open_emulated(GENERATE(1U, 4U)));
}

TEST_CASE("rows of a few elements are computed in loops over rows, with the CPU's bits") {
    try_short_rows(open_emulated());
}

TEST_CASE("rows are chosen, put, ordered and compared as on the CPU") {
    try_rows(open_emulated());
}

TEST_CASE("an index that is out of range is told, and the nearest one is used") {
    try_out_of_range(open_emulated());
}

TEST_CASE("random numbers are the CPU's") {
    try_draws(open_emulated(GENERATE(1U, 4U)));
}

TEST_CASE("estimators and recurrences have the CPU's bits") {
    try_scans(open_emulated());
}

TEST_CASE("windows of images have the CPU's bits") {
    try_images(open_emulated(GENERATE(1U, 4U)));
}

TEST_CASE("scans over time have the CPU's bits") {
    NEEDS_FMA();
    try_memories(open_emulated(GENERATE(1U, 4U)));
}

TEST_CASE("works of many kinds wait for what other blocks write") {
    NEEDS_FMA();
    try_chains(open_emulated(GENERATE(1U, 4U)));
}

TEST_CASE("columns of other types are imported") {
    try_imports(open_emulated());
}

}  // namespace launches_test
