// SPDX-License-Identifier: Apache-2.0
// What stacks of 84x84 pictures take compressed, how long a minibatch of them takes, and how much of that a prefetch
// hides. It is not run by default, because times depend on what else the machine does. TENON_PICTURES names a file with
// the pictures, each followed by a byte that is 1 if it is the last one of an episode: TENON_PICTURES=breakout.raw
// build/release/tests/test_storages "[pictures]"
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/random/key.hpp"
#include "engines/storage_compressed/packed_rows.hpp"
#include "experience/replay/gather.hpp"
#include "support/catch.hpp"
#include "train/learn/prefetch.hpp"

namespace packed_speed_test {

namespace {

using namespace tenon;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPicture = std::size_t{84} * 84;
constexpr std::uint32_t kRows = 32;
constexpr double kMillion = 1e6;

double microseconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::micro>(to - from).count();
}

// A ring of stacks of four pictures, as the frames of a run.
Storage filled(const std::vector<char>& file, bool compress) {
    const auto steps = static_cast<std::uint32_t>(file.size() / (kPicture + 1));
    std::vector<StorageColumn> columns = {{.key = "observation",
                                           .role = Role::kObservation,
                                           .dtype = DType::kU8,
                                           .row = {4, 84, 84},
                                           .view = {},
                                           .final = {}}};
    Storage storage =
        compress ? *make_packed(std::move(columns), steps, 1) : *Storage::make(std::move(columns), steps, 1);
    std::vector<char> stack(4 * kPicture);
    bool fresh = true;
    const StorageColumn& observation = *storage.find("observation");
    storage.begin_episodes(nullptr);
    for (std::uint32_t step = 0; step + 1 < steps; ++step) {
        const char* const picture = file.data() + step * (kPicture + 1);
        for (std::size_t i = 0; i < 4; ++i) {
            const char* const from = fresh || i == 3 ? picture : stack.data() + (i + 1) * kPicture;
            std::memmove(stack.data() + i * kPicture, from, kPicture);
        }
        std::memcpy(row_at(observation.view, storage.head(), 0), stack.data(), stack.size());
        fresh = picture[kPicture] != 0;
        *static_cast<std::uint8_t*>(row_at(storage.find("terminated")->view, storage.head(), 0)) = fresh ? 1 : 0;
        storage.advance();
        storage.mark();
    }
    return storage;
}

// Minibatches of random rows.
struct Minibatch {
    Minibatch(const Storage& of) : storage(of) {
        const SamplerPlan all{.sampler = "replay/test", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
        plan.emplace(
            *GatherPlan::make(storage, all, std::array<std::string, 2>{"observation", "next.observation"}, "test"));
        for (const Port& port : plan->ports()) {
            memory.push_back(*Slab::make(row_bytes(port) * kRows));
            to.push_back(memory.back().data());
        }
    }
    void gather(std::uint64_t number) {
        std::array<std::uint32_t, kRows> slots{};
        const std::array<std::uint32_t, kRows> lanes{};
        for (std::uint32_t i = 0; i < kRows; ++i) {
            slots[i] = tn_below(tn_philox(make_key(1, "test"), number * kRows + i).word[0],
                                static_cast<std::uint32_t>(storage.view().total) - 100);
        }
        const std::uint32_t* const slot_array = slots.data();
        const std::uint32_t* const lane_array = lanes.data();
        plan->gather({.slots = &slot_array, .lanes = &lane_array, .columns = nullptr}, 0, kRows, to.data());
    }
    const Storage& storage;
    std::optional<GatherPlan> plan;
    std::vector<Slab> memory;
    std::vector<void*> to;
};

// A tenth of the times is shorter: on a busy machine most others are those of its other programs.
double short_of(std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10));
    return times[times.size() / 10];
}

double time_of(Minibatch& minibatch) {
    std::vector<double> times;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const auto from = Clock::now();
        minibatch.gather(i);
        times.push_back(microseconds(from, Clock::now()));
    }
    return short_of(times);
}

// The wait for a minibatch that another thread prepares while this one computes for so long.
double time_of_wait(Minibatch& minibatch, double busy) {
    Prefetch prefetch;
    const auto prepare = [](void* self, std::uint64_t number) -> Result<Sizes> {
        static_cast<Minibatch*>(self)->gather(number);
        return Sizes{.rows = kRows};
    };
    std::vector<double> waits;
    for (std::uint64_t i = 0; i < 200; ++i) {
        prefetch.begin(prepare, &minibatch, i);
        for (const auto from = Clock::now(); microseconds(from, Clock::now()) < busy;) {
        }
        const auto from = Clock::now();
        REQUIRE(prefetch.take(i));
        waits.push_back(microseconds(from, Clock::now()));
    }
    return short_of(waits);
}

TEST_CASE("pictures of a file, plain and compressed", "[.][pictures]") {
    const char* const name = std::getenv("TENON_PICTURES");
    REQUIRE(name != nullptr);
    std::ifstream in(name, std::ios::binary);
    const std::vector<char> file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const Storage plain = filled(file, false);
    const auto began = Clock::now();
    const Storage compressed = filled(file, true);
    const double filling = microseconds(began, Clock::now());
    const double steps = static_cast<double>(plain.view().total);
    std::size_t once = 0;
    for (const PackedRows::Block& block : packed_rows(compressed)->columns()[0].blocks) {
        once += block.plain;
    }
    std::printf(
        "a million steps: %.1f GB as stacks, %.2f GB with each picture once, %.3f GB compressed; %.1f us a step\n",
        4 * kPicture * kMillion / 1e9, static_cast<double>(once) / steps * kMillion / 1e9,
        static_cast<double>(packed_rows(compressed)->packed_bytes()) / steps * kMillion / 1e9, filling / steps);
    Minibatch of_plain(plain);
    Minibatch of_compressed(compressed);
    const double copying = time_of(of_plain);
    const double decoding = time_of(of_compressed);
    std::printf("%u rows and the ones after them: %.0f us plain, %.0f us compressed\n", kRows, copying, decoding);
    for (const double share : {1.5, 3.0, 10.0}) {
        const double wait = time_of_wait(of_compressed, share * decoding);
        std::printf("during an update of %.1f times that: %.0f us of waiting, %.0f %% hidden\n", share, wait,
                    100 * (1 - wait / decoding));
    }
    for (std::size_t i = 0; i < of_plain.to.size(); ++i) {
        of_plain.gather(7);
        of_compressed.gather(7);
        CHECK(std::memcmp(of_plain.to[i], of_compressed.to[i], 4 * kPicture * kRows) == 0);
    }
}

}  // namespace

}  // namespace packed_speed_test
