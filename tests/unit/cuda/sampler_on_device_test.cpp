// SPDX-License-Identifier: Apache-2.0
// What a sampler on a device is given of the buffer.
#include "engines/source_device/hosted_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/cuda/devices.hpp"
#include "experience/replay/sampler.hpp"
#include "support/catch.hpp"
#include "unit/replay/world.hpp"

namespace sampler_on_device_test {

using namespace tenon;

namespace {

constexpr std::uint32_t kRows = 8;

// Chooses the oldest transition of the last lane that has one, and keeps what it is given. The memory of the emulated
// device is the host's.
struct FakeOnDevice {
    tn_gather all{sizeof(tn_gather), 0, {"*", 1}, {"", 0}, 0, 0};
    const tn_gather* gathers[1] = {&all};
    std::uint32_t slots = 0;
    std::uint32_t lanes = 0;
    tn_sample_numbers numbers{};
    std::vector<std::uint32_t> first, count;          // [lane]
    std::vector<std::uint8_t> terminated, truncated;  // [slot][lane]
    std::vector<double> options;

    Callee<tn_sampler_api> callee() {
        static constexpr tn_sampler_api kApi{
            .struct_size = sizeof(tn_sampler_api), .flags = 0, .plan = plan, .sample = nullptr, .prioritise = nullptr};
        return {.api = &kApi, .self = this, .name = "replay/fake", .place = {}, .state = nullptr};
    }
    static const tn_device_sampler_api& on_device() {
        static constexpr tn_device_sampler_api kApi{.struct_size = sizeof(tn_device_sampler_api),
                                                    .flags = 0,
                                                    .open = open,
                                                    .enqueue_sample = sample,
                                                    .enqueue_prioritise = nullptr};
        return kApi;
    }

private:
    static tn_status plan(void* self, tn_sampler_info* info) {
        auto& of = *static_cast<FakeOnDevice*>(self);
        info->array_count = 1;
        info->gathers = of.gathers;
        info->gather_count = 1;
        return TN_OK;
    }
    static tn_status open(void* self, const tn_device_room* room) {
        auto& of = *static_cast<FakeOnDevice*>(self);
        of.slots = room->slots;
        of.lanes = room->lanes;
        return TN_OK;
    }
    static tn_status sample(void* self, const tn_device_sample_call* call) {
        auto& of = *static_cast<FakeOnDevice*>(self);
        of.numbers = *call->numbers;
        of.first.assign(call->first, call->first + of.lanes);
        of.count.assign(call->count, call->count + of.lanes);
        const std::size_t ring = std::size_t{of.slots} * of.lanes;
        of.terminated.assign(call->terminated, call->terminated + ring);
        of.truncated.assign(call->truncated, call->truncated + ring);
        of.options.assign(call->options, call->options + call->option_count);
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane) {
            for (std::uint32_t row = 0; row < call->rows && of.count[lane] > 0; ++row) {
                call->slot[row] = of.first[lane];
                call->lane[row] = lane;
            }
        }
        return TN_OK;
    }
};

// That the sampler was given the transitions of the storage that are held, and how each has ended.
void check_given(const FakeOnDevice& fake, const Storage& storage) {
    const tn_buffer_view& view = storage.view();
    REQUIRE(fake.slots == view.slots);
    REQUIRE(fake.lanes == view.lanes);
    CHECK(fake.numbers.total == view.total);
    CHECK(fake.numbers.appended == view.appended);
    for (std::uint32_t lane = 0; lane < view.lanes; ++lane) {
        REQUIRE(fake.count[lane] == view.count[lane]);
        for (std::uint32_t i = 0; i < view.count[lane]; ++i) {
            REQUIRE(fake.first[lane] == view.first[lane]);
            const std::uint32_t slot = (view.first[lane] + i) % view.slots;
            const std::size_t at = std::size_t{slot} * view.lanes + lane;
            CAPTURE(lane, slot);
            REQUIRE(fake.terminated[at] == storage.flags().terminated[at]);
            REQUIRE(fake.truncated[at] == storage.flags().truncated[at]);
        }
    }
}

}  // namespace

TEST_CASE("a sampler on a device is given all transitions that are held and how they ended, in whichever lanes") {
    const auto seed = GENERATE(range(1U, 6U));
    CAPTURE(seed);
    test::Dice random{seed};
    const std::uint32_t slots = 4 + random() % 5;
    test::World world(seed, slots, 3, 2);
    FakeOnDevice fake;
    const auto on_device = HostedSampler::make(fake.callee(), &FakeOnDevice::on_device(), open_emulated());
    REQUIRE(on_device);
    Result<Sampler> sampler = Sampler::make((*on_device)->callee(), kRows);
    REQUIRE(sampler);
    CHECK_FALSE(sampler->sample(world.storage, kRows, {1, 2}, 0));  // nothing is held
    for (std::uint64_t round = 0; round < 60; ++round) {
        for (std::uint32_t step = 1 + random() % (round % 7 == 3 ? 3 * slots : 2); step > 0; --step) {
            world.step();
        }
        if (round == 20 || round == 40) {
            world.storage.park(round == 20 ? 0 : 1);  // the lane holds nothing from then on
        }
        REQUIRE(sampler->sample(world.storage, kRows, {1, 2}, round, std::vector<double>{0.25, 7}));
        check_given(fake, world.storage);
        CHECK(fake.numbers.counter == round);
        CHECK(fake.options == std::vector<double>{0.25, 7});
        CHECK(sampler->sampled().slots[0][kRows - 1] == world.storage.view().first[2]);
        CHECK(sampler->sampled().lanes[0][kRows - 1] == 2);
        if (random() % 4 == 0) {
            const std::uint8_t some[] = {1, 0, static_cast<std::uint8_t>(random() % 2)};
            world.begin(some);  // truncates the newest transition of a lane, which the sampler has seen
        }
    }
}

TEST_CASE("a buffer that begins anew, or is another one, is copied to a sampler on a device as a whole") {
    FakeOnDevice fake;
    const auto on_device = HostedSampler::make(fake.callee(), &FakeOnDevice::on_device(), open_emulated());
    REQUIRE(on_device);
    Result<Sampler> sampler = Sampler::make((*on_device)->callee(), kRows);
    REQUIRE(sampler);
    for (const std::uint32_t slots : {6U, 6U, 9U, 9U, 5U}) {
        test::World world(slots, slots, 2, 2);
        for (std::uint32_t step = 0; step < 2 * slots; ++step) {
            world.step();
            if (step % 4 == 3) {
                REQUIRE(sampler->sample(world.storage, kRows, {1, 2}, step));
                check_given(fake, world.storage);
            }
        }
    }
}

}  // namespace sampler_on_device_test
