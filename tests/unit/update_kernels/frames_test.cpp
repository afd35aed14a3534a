// SPDX-License-Identifier: Apache-2.0
// Frames on a device: steps become rows of a ring, and rows of a ring minibatches, as in the host's memory.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engines/cuda/devices.hpp"
#include "engines/cuda/frames/ring.hpp"
#include "experience/replay/device_gather.hpp"
#include "experience/replay/device_ring.hpp"
#include "experience/replay/gather.hpp"
#include "experience/replay/storage.hpp"
#include "support/catch.hpp"

namespace frames_test {

using namespace tenon;

namespace {

constexpr std::uint32_t kLanes = 5;
constexpr std::uint32_t kSlots = 7;
constexpr std::uint32_t kMostSteps = 4;

StorageColumn column(const char* key, Role role, DType dtype, Shape row) {
    return {.key = key, .role = role, .dtype = dtype, .row = row, .view = {}, .final = {}};
}

Storage make_storage() {
    Result<Storage> made = Storage::make(
        {column("observation", Role::kObservation, DType::kF32, {3}), column("action", Role::kAction, DType::kI64, {}),
         column("reward", Role::kReward, DType::kF32, {}), column("note", Role::kExtra, DType::kU8, {3})},
        kSlots, kLanes);
    REQUIRE(made);
    return std::move(*made);
}

std::vector<std::byte> row_of(const View& view, std::uint32_t slot, std::size_t bytes) {
    const auto* const at = static_cast<const std::byte*>(row_at(view, slot, 0));
    return {at, at + bytes * kLanes};
}

// The same steps in the memory of the host and on the emulated device. A test may write to that device's memory.
struct Both {
    std::shared_ptr<Device> device = open_emulated();
    Storage host = make_storage();
    Storage on_device = make_storage();
    std::mt19937_64 generator{11};
    std::vector<void*> memory;
    float* observation = take<float>(3);
    float* last = take<float>(3);
    std::int64_t* action = take<std::int64_t>(1);
    float* reward = take<float>(1);
    std::uint8_t* terminated = take<std::uint8_t>(1);
    std::uint8_t* truncated = take<std::uint8_t>(1);
    std::unique_ptr<DeviceRing> ring;
    std::vector<double> rewards;  // of all steps, as the host saw them
    std::vector<double> expected;

    Both() {
        DeviceLanes lanes{.columns = {{"observation", DType::kF32, 12, Role::kObservation, observation, last},
                                      {"action", DType::kI64, 8, Role::kAction, action, nullptr},
                                      {"reward", DType::kF32, 4, Role::kReward, reward, nullptr}},
                          .terminated = terminated,
                          .truncated = truncated,
                          .reward = "reward"};
        for (Storage* storage : {&host, &on_device}) {
            storage->begin_episodes(nullptr);
            fill(static_cast<float*>(row_at(storage->find("observation")->view, 0, 0)), 0);
        }
        Result<std::unique_ptr<DeviceRing>> made = frames::make_ring(on_device, device, std::move(lanes), kMostSteps);
        REQUIRE(made);
        ring = std::move(*made);
        REQUIRE(ring->take_newest());
        CHECK(std::memcmp(observation, row_at(on_device.find("observation")->view, 0, 0), 12 * kLanes) == 0);
    }
    ~Both() {
        for (void* each : memory) {
            device->table.free(device->table.ctx, each);
        }
    }
    Both(const Both&) = delete;
    Both& operator=(const Both&) = delete;

    template <class T>
    T* take(std::uint64_t each) {
        REQUIRE(device->table.alloc(device->table.ctx, each * kLanes * sizeof(T), &memory.emplace_back()) == TN_OK);
        return static_cast<T*>(memory.back());
    }
    static void fill(float* to, int from) {
        for (std::uint32_t i = 0; i < 3 * kLanes; ++i) {
            to[i] = static_cast<float>(from) + 0.25F * static_cast<float>(i);
        }
    }

    void step(int number) {
        fill(observation, 100 * number);
        fill(last, 100 * number + 50);
        auto* const note = static_cast<std::uint8_t*>(ring->present("note"));
        const std::uint32_t slot = host.head();
        const std::uint32_t next = host.slot_after(slot);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            action[lane] = static_cast<std::int64_t>(generator() % 7);
            reward[lane] = static_cast<float>(generator() % 100) / 8;
            terminated[lane] = generator() % 4 == 0 ? 1 : 0;
            truncated[lane] = generator() % 4 == 0 ? 1 : 0;
            for (std::uint32_t i = 0; i < 3; ++i) {
                note[3 * lane + i] = static_cast<std::uint8_t>(generator());
            }
            expected.push_back(static_cast<double>(reward[lane]));
        }
        const auto put = [&](const View& view, std::uint32_t at, const void* from, std::size_t bytes) {
            std::memcpy(row_at(view, at, 0), from, bytes * kLanes);
        };
        put(host.find("observation")->view, next, observation, 12);
        put(host.find("action")->view, slot, action, 8);
        put(host.find("reward")->view, slot, reward, 4);
        put(host.find("note")->view, slot, note, 3);
        put(host.find("terminated")->view, slot, terminated, 1);
        put(host.find("truncated")->view, slot, truncated, 1);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            if ((terminated[lane] | truncated[lane]) != 0) {
                std::memcpy(row_at(host.find("observation")->final, slot, lane), last + 3 * lane, 12);
            }
        }
        host.advance();
        REQUIRE(ring->keep());
        on_device.advance();
    }

    void look() {
        const Result<DeviceRing::Looked> looked = ring->look();
        REQUIRE(looked);
        for (const tn_fault& fault : looked->faults) {
            CHECK(fault.status == TN_OK);
        }
        for (std::uint32_t i = 0; i < looked->steps; ++i) {
            std::vector<double> now(kLanes);
            ring->show(i, on_device.slot_back(looked->steps - i), now);
            rewards.insert(rewards.end(), now.begin(), now.end());
        }
    }

    void compare() {
        const std::uint32_t live = host.ring().live_slots();
        REQUIRE(on_device.ring().live_slots() == live);
        for (const StorageColumn& column : host.columns()) {
            const StorageColumn& other = *on_device.find(column.key);
            for (std::uint32_t back = 0; back < live; ++back) {
                const std::uint32_t slot = host.slot_back(back);
                const bool stands = column.role == Role::kObservation || column.key == "is_init";
                INFO(column.key << " in slot " << slot);
                CHECK(((back == 0 && !stands) ||
                       row_of(other.view, slot, row_bytes(column)) == row_of(column.view, slot, row_bytes(column))));
                CHECK((column.final.data == nullptr || back == 0 ||
                       row_of(other.final, slot, row_bytes(column)) == row_of(column.final, slot, row_bytes(column))));
            }
        }
    }
};

SamplerPlan plan() {
    return {.sampler = "a sampler",
            .array_count = 2,
            .lines = {{0, "*", "*"}, {0, "next.reward", "rewards", 2}, {1, "next.observation", "ahead"}},
            .columns = {}};
}

}  // namespace

TEST_CASE("steps on a device become the rows that the host would have") {
    Both both;
    for (int number = 1; number <= 23; ++number) {
        both.step(number);
        if (both.ring->is_full() || number % 3 == 0) {
            both.look();
            const View& newest = both.on_device.find("observation")->view;
            CHECK(std::memcmp(row_at(newest, both.on_device.head(), 0), both.observation, 12 * kLanes) == 0);
        }
        if (number % 9 == 0) {
            REQUIRE(both.ring->fetch_to_host());
            both.compare();
        }
    }
    both.look();
    REQUIRE(both.ring->fetch_to_host());
    both.compare();
    CHECK(both.rewards == both.expected);
}

TEST_CASE("rows that the host has changed go to the device, and a rewound ring begins with the newest observations") {
    Both both;
    both.step(1);
    both.step(2);
    both.look();
    REQUIRE(both.ring->rewind());
    both.on_device.rewind();
    both.host.rewind();
    both.step(3);
    both.look();
    REQUIRE(both.ring->fetch_to_host());
    both.compare();

    for (Storage* storage : {&both.host, &both.on_device}) {
        Both::fill(static_cast<float*>(row_at(storage->find("observation")->view, storage->head(), 0)), -7);
    }
    both.ring->changed_on_host();
    REQUIRE(both.ring->take_newest());
    CHECK(both.observation[0] == -7);
    both.step(4);
    both.look();
    REQUIRE(both.ring->fetch_to_host());
    both.compare();
}

TEST_CASE("the host fetches each kept step once, and none of those before a rewind") {
    static std::uint64_t bytes_read = 0;
    Both both;
    both.device->table.read = [](void* /*ctx*/, void* to, const void* from, std::uint64_t bytes) -> tn_status {
        bytes_read += bytes;
        std::memcpy(to, from, bytes);
        return TN_OK;
    };
    const auto fetched = [&] {
        bytes_read = 0;
        REQUIRE(both.ring->fetch_to_host());
        return bytes_read;
    };
    CHECK(fetched() == 0);
    both.step(1);
    both.look();
    const std::uint64_t one_step = fetched();
    CHECK(one_step > 0);
    CHECK(fetched() == 0);
    both.step(2);
    both.step(3);
    both.look();
    const std::uint64_t two_steps = fetched();
    CHECK(two_steps == one_step / 2 * 3);  // of both ends of a step
    both.compare();
    both.step(4);
    both.look();
    REQUIRE(both.ring->rewind());
    both.on_device.rewind();
    both.host.rewind();
    CHECK(fetched() == 0);
    both.step(5);
    both.look();
    CHECK(fetched() == one_step);
    both.compare();
    for (int number = 6; number < 6 + 2 * static_cast<int>(kSlots); ++number) {
        both.step(number);
        if (both.ring->is_full()) {
            both.look();
        }
    }
    both.look();
    CHECK(fetched() == one_step / 2 * kSlots);  // all that the ring holds
    both.step(99);
    both.look();
    both.ring->changed_on_host();
    REQUIRE(both.ring->take_newest());
    CHECK(fetched() == 0);
}

TEST_CASE("minibatches have the rows of those that the host gathers") {
    Both both;
    for (int number = 1; number <= 12; ++number) {
        both.step(number);
        if (both.ring->is_full()) {
            both.look();
        }
    }
    both.look();
    const std::vector<std::string> keys{"observation", "next.observation", "action", "next.reward", "next.done",
                                        "note",        "rewards",          "ahead"};
    constexpr std::uint32_t kRows = 19;
    const Result<GatherPlan> host = GatherPlan::make(both.host, plan(), keys, "a test");
    REQUIRE(host);
    const auto on_device = both.ring->make_gather(plan(), keys, "a test", kRows);
    REQUIRE(on_device);
    std::vector<std::uint32_t> slots(2 * kRows);
    std::vector<std::uint32_t> lanes(2 * kRows);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        slots[i] =
            both.host.slot_back(1 + static_cast<std::uint32_t>(both.generator() % (both.host.ring().live_slots() - 1)));
        lanes[i] = static_cast<std::uint32_t>(both.generator() % kLanes);
    }
    const std::uint32_t* const slot_arrays[] = {slots.data(), slots.data() + kRows};
    const std::uint32_t* const lane_arrays[] = {lanes.data(), lanes.data() + kRows};
    std::vector<std::vector<std::byte>> expected;
    std::vector<void*> to;
    for (const Port& port : host->ports()) {
        to.push_back(expected.emplace_back(row_bytes(port) * kRows).data());
    }
    host->gather({.slots = slot_arrays, .lanes = lane_arrays, .columns = nullptr}, 0, kRows, to.data());

    // indices on the host, and those of a sampler on the device
    const SampledOnDevice chosen{.slots = slots.data(), .lanes = lanes.data(), .columns = nullptr, .stride = kRows};
    for (const SampledRows& rows : {SampledRows{.slots = slot_arrays, .lanes = lane_arrays, .columns = nullptr},
                                    SampledRows{.on_device = &chosen}}) {
        REQUIRE((*on_device)->gather(rows, kRows));
        for (std::size_t i = 0; i < keys.size(); ++i) {
            INFO(keys[i]);
            CHECK(std::memcmp((*on_device)->columns()[i], expected[i].data(), expected[i].size()) == 0);
            std::memset((*on_device)->columns()[i], 0x5A, expected[i].size());
        }
    }
    both.look();

    slots[3] = kSlots;
    REQUIRE((*on_device)->gather({.on_device = &chosen}, kRows));
    const Result<DeviceRing::Looked> looked = both.ring->look();
    REQUIRE(looked);
    const tn_fault& fault = looked->faults[static_cast<std::size_t>(DeviceRing::Source::kTaking)];
    CHECK(fault.status == TN_INVALID_ARGUMENT);
    CHECK(fault.where == 3);
}

TEST_CASE("a number that is not finite is told with its column and lane") {
    Both both;
    both.step(1);
    both.look();
    both.observation[3 * 2 + 1] = std::numeric_limits<float>::quiet_NaN();
    REQUIRE(both.ring->keep());
    const Result<DeviceRing::Looked> looked = both.ring->look();
    REQUIRE(looked);
    const tn_fault& fault = looked->faults[static_cast<std::size_t>(DeviceRing::Source::kKeeping)];
    CHECK(fault.status == TN_INVALID_ARGUMENT);
    CHECK(both.ring->place_of(fault) == "the column 'observation' in lane 2");
}

}  // namespace frames_test
