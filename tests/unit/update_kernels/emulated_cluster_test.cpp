// SPDX-License-Identifier: Apache-2.0
// Blocks of a cluster on the emulated device: they run together, or not at all.
#include "engines/cuda/emulated_cluster.hpp"

#include <array>
#include <memory>
#include <system_error>
#include <thread>

#include "engines/cuda/devices.hpp"
#include "support/catch.hpp"

namespace emulated_cluster_test {

namespace {

using namespace tenon;
using Catch::Matchers::StartsWith;

constexpr std::uint32_t kBlocks = 4;

// Each block leaves its number, and then counts what the others have left.
void gather(int* arrived, int* seen) {
    const unsigned block = emulated::machine().block.x;
    arrived[block] = 1;
    emulated::cluster_barrier();
    for (unsigned i = 0; i < kBlocks; ++i) {
        seen[block] += arrived[i];
    }
}

struct Launched {
    std::array<int, kBlocks> arrived{};
    std::array<int, kBlocks> seen{};
    int* to_arrived = arrived.data();
    int* to_seen = seen.data();
    void* arguments[2] = {static_cast<void*>(&to_arrived), static_cast<void*>(&to_seen)};
};

constexpr std::uint32_t kGrid[3] = {kBlocks, 1, 1};
constexpr std::uint32_t kBlock[3] = {1, 1, 1};

// The third one cannot be made.
struct Rare : std::jthread {
    static inline int made = 0;
    template <class... Arguments>
    explicit Rare(Arguments&&... arguments) {
        if (++made == 3) {
            throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        }
        static_cast<std::jthread&>(*this) = std::jthread(std::forward<Arguments>(arguments)...);
    }
};

void gather_with_rare_threads(const std::uint32_t* grid, const std::uint32_t* block, void* const* arguments) {
    Rare::made = 0;
    emulated::run_together<&gather, Rare>(grid, block, arguments);
}

TEST_CASE("after a barrier the blocks of a cluster see what all have written") {
    Launched one;
    emulated::run_together<&gather>(kGrid, kBlock, one.arguments);
    CHECK(one.seen == std::array<int, kBlocks>{kBlocks, kBlocks, kBlocks, kBlocks});
}

TEST_CASE("where a block has no thread no block runs, and the launch fails") {
    Launched one;
    const std::shared_ptr<Device> device = open_emulated(kBlocks);
    tn_emulated_kernel kernel{"gather", &gather_with_rare_threads};
    CHECK(device->stream.launch(&device->stream, &kernel, kGrid, kBlock, one.arguments) == TN_UNAVAILABLE);
    CHECK_THAT(device->error, StartsWith("the emulated device has no thread for each block of a cluster: "));
    CHECK(one.arrived == std::array<int, kBlocks>{});
    kernel.run = &emulated::run_together<&gather>;
    CHECK(device->stream.launch(&device->stream, &kernel, kGrid, kBlock, one.arguments) == TN_OK);
    CHECK(one.seen.back() == kBlocks);
}

}  // namespace

}  // namespace emulated_cluster_test
