// SPDX-License-Identifier: Apache-2.0
// The emulator itself: it runs threads in changing orders, so that a forgotten barrier is caught, and a kernel with its
// barriers gives what it should.
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "tenon/emulated.hpp"

namespace barrier_test {
namespace {

// Each thread writes its number and reads that of its neighbour.
template <bool Waits>
__global__ void pass_on(std::uint32_t* out) {
    __shared__ std::uint32_t number[64];
    number[threadIdx.x] = 0;
    __syncthreads();
    number[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x + 1;
    if constexpr (Waits) {
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = number[(threadIdx.x + 1) % blockDim.x];
}

template <auto Kernel>
std::vector<std::uint32_t> run(std::uint32_t blocks) {
    std::vector<std::uint32_t> out(std::size_t{blocks} * 64);
    std::uint32_t* data = out.data();
    void* const arguments[] = {static_cast<void*>(&data)};
    const std::uint32_t grid[3] = {blocks, 1, 1};
    const std::uint32_t block[3] = {64, 1, 1};
    tenon::emulated::Launch<Kernel>::run(grid, block, arguments);
    return out;
}

TEST_CASE("a kernel with its barriers gives the same in every order") {
    const std::vector<std::uint32_t> out = run<&pass_on<true>>(3);
    for (std::uint32_t block = 0; block < 3; ++block) {
        for (std::uint32_t thread = 0; thread < 64; ++thread) {
            REQUIRE(out[block * 64 + thread] == 1000 * block + (thread + 1) % 64 + 1);
        }
    }
}

TEST_CASE("a forgotten barrier is caught") {
    REQUIRE(run<&pass_on<false>>(3) != run<&pass_on<true>>(3));
    REQUIRE(run<&pass_on<false>>(3) != run<&pass_on<false>>(3));
}

}  // namespace
}  // namespace barrier_test
