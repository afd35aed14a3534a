// SPDX-License-Identifier: Apache-2.0
// How long gathering takes, compared with bare copies of the same bytes. It is not run by default, because times depend
// on what else the machine does: build/release/tests/test_replay "[speed]"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "experience/replay/gather.hpp"
#include "support/catch.hpp"
#include "world.hpp"

namespace gather_speed_test {

namespace {

using namespace tenon;

constexpr std::size_t kRows = 256;

// The best of many calls, in microseconds.
template <class F>
double time_of(F call) {
    double best = 1e9;
    for (int i = 0; i < 2000; ++i) {
        const auto from = std::chrono::steady_clock::now();
        call(i);
        best =
            std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count());
    }
    return best;
}

TEST_CASE("gathering 256 rows of 17 + 6 + 17 floats, and copies of these bytes", "[.][speed]") {
    const auto slots = GENERATE(2'000U, 1'000'000U);
    const auto column = [](const char* key, Role role, const Shape& row) {
        return StorageColumn{.key = key, .role = role, .dtype = DType::kF32, .row = row, .view = {}, .final = {}};
    };
    Storage storage = *Storage::make(
        {column("observation", Role::kObservation, {17}), column("action", Role::kAction, {6})}, slots, 1);
    storage.begin_episodes(nullptr);
    test::Dice random{1};
    for (std::uint32_t slot = 1; slot < slots; ++slot) {
        for (const char* const key : {"observation", "action"}) {
            const StorageColumn& of = *storage.find(key);
            std::memset(row_at(of.view, storage.head(), 0), static_cast<int>(slot % 251), row_bytes(of));
        }
        storage.advance();
    }
    const std::vector<std::string> keys = {"observation", "action", "next.observation"};
    const SamplerPlan sampler{.sampler = "t", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
    const GatherPlan plan = *GatherPlan::make(storage, sampler, keys, "objective test");
    constexpr int kSets = 64;
    std::vector<std::vector<std::uint32_t>> sets(kSets, std::vector<std::uint32_t>(kRows));
    for (auto& set : sets) {
        for (std::uint32_t& slot : set) {
            slot = random() % (slots - 1);
        }
    }
    const std::vector<std::uint32_t> lanes(kRows, 0);
    std::vector<std::vector<float>> out = {std::vector<float>(kRows * 17), std::vector<float>(kRows * 6),
                                           std::vector<float>(kRows * 17)};
    std::vector<void*> to = {out[0].data(), out[1].data(), out[2].data()};
    const double gathered = time_of([&](int i) {
        const std::uint32_t* const chosen = sets[static_cast<std::size_t>(i % kSets)].data();
        const std::uint32_t* const lane = lanes.data();
        plan.gather({.slots = &chosen, .lanes = &lane, .columns = nullptr}, 0, kRows, to.data());
    });
    const auto* const observation = storage.find("observation")->view.as<float>();
    const auto* const action = storage.find("action")->view.as<float>();
    const double scattered = time_of([&](int i) {
        const auto& set = sets[static_cast<std::size_t>(i % kSets)];
        for (std::size_t row = 0; row < kRows; ++row) {
            std::memcpy(out[0].data() + row * 17, observation + std::size_t{set[row]} * 17, 68);
        }
        for (std::size_t row = 0; row < kRows; ++row) {
            std::memcpy(out[1].data() + row * 6, action + std::size_t{set[row]} * 6, 24);
        }
        for (std::size_t row = 0; row < kRows; ++row) {
            std::memcpy(out[2].data() + row * 17, observation + (std::size_t{set[row]} + 1) * 17, 68);
        }
    });
    std::vector<float> block(kRows * 40);
    std::vector<float> target(kRows * 40);
    const double contiguous = time_of([&](int) {
        std::memcpy(target.data(), block.data(), block.size() * sizeof(float));
        block[0] = target[1];
    });
    std::printf("%u frames: gathered %.2f us, the same rows copied %.2f us (%.2fx), as one block %.2f us (%.2fx)\n",
                slots, gathered, scattered, gathered / scattered, contiguous, gathered / contiguous);
    CHECK(gathered > 0);
}

}  // namespace

}  // namespace gather_speed_test
