// SPDX-License-Identifier: Apache-2.0
// The samplers of replay_cuda against those of replay: the same rows and weights to the bit while a ring of random
// episodes is filled and overwritten, with n-step rows, strata and priorities.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "base/device/device.hpp"
#include "replay/prioritised.hpp"
#include "replay/ring_world.hpp"
#include "replay/uniform.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

// Names that both plugins have.
#define with_steps with_steps_on_device
#include "replay_cuda/prioritised.hpp"
#include "replay_cuda/uniform.hpp"
#undef with_steps

namespace draws_test {
namespace {

using tenon::test::OptionValues;
using tenon::test::SamplerRig;

constexpr std::uint32_t kSlots = 40;
constexpr std::uint32_t kLanes = 3;
constexpr std::uint32_t kRows = 65;

// The same buffer, sampled on the emulated device.
template <class T>
class OnDevice {
public:
    OnDevice(const std::function<void(OptionValues<T>&)>& change, std::uint32_t arrays, std::uint32_t columns)
        : instance_(host_, tenon::sampler<T>("x", "x"), 0, change), arrays_(arrays) {
        REQUIRE(instance_.status() == TN_OK);
        api_ = instance_.template api<tn_device_sampler_api>("tenon.device_sampler/1");
        const tn_device_room room{sizeof room, kSlots, kLanes, kRows, &device_->table};
        REQUIRE(api_->open(instance_.self(), &room) == TN_OK);
        slots.resize(std::size_t{arrays} * kRows);
        lanes = slots;
        columns_.assign(columns, std::vector<float>(kRows));
    }

    void sample(const ring_world::World& world, std::uint64_t counter) {
        const SamplerRig& rig = world.sampler;
        std::uint64_t total = 0;
        for (const std::uint32_t count : world.count) {
            total += count;
        }
        const tn_sample_numbers numbers{counter, total, rig.appended, {3, 4}};
        std::vector<void*> pointers;
        for (std::vector<float>& column : columns_) {
            pointers.push_back(column.data());
        }
        tn_stream stream = device_->stream;
        stream.fault = &fault_;
        const tn_device_sample_call call{.struct_size = sizeof call,
                                         .rows = kRows,
                                         .stream = &stream,
                                         .numbers = &numbers,
                                         .first = world.first.data(),
                                         .count = world.count.data(),
                                         .terminated = rig.terminated.data(),
                                         .truncated = rig.truncated.data(),
                                         .slot = slots.data(),
                                         .lane = lanes.data(),
                                         .columns = pointers.data(),
                                         .options = nullptr,
                                         .option_count = 0};
        REQUIRE(api_->enqueue_sample(instance_.self(), &call) == TN_OK);
        REQUIRE(fault_.status == TN_OK);
    }
    void prioritise(const std::vector<double>& priorities) {
        tn_stream stream = device_->stream;
        stream.fault = &fault_;
        const tn_device_priority_call call{.struct_size = sizeof call,
                                           .rows = kRows,
                                           .stream = &stream,
                                           .slot = slots.data(),
                                           .lane = lanes.data(),
                                           .priorities = priorities.data(),
                                           .burn_in = 0,
                                           .reserved = 0};
        REQUIRE(api_->enqueue_prioritise(instance_.self(), &call) == TN_OK);
    }

    std::vector<std::uint32_t> slots, lanes;
    [[nodiscard]] const std::vector<std::vector<float>>& columns() const { return columns_; }
    [[nodiscard]] const tenon::test::PluginInstance& instance() const { return instance_; }

private:
    std::shared_ptr<tenon::Device> device_ = tenon::open_emulated();
    tenon::test::PluginHost host_;
    tenon::test::PluginInstance instance_;
    const tn_device_sampler_api* api_ = nullptr;
    std::uint32_t arrays_;
    std::vector<std::vector<float>> columns_;
    tn_fault fault_{};
};

// Both samplers over one world; each round has some steps, a batch, and priorities.
template <class Cpu, class Device>
void compare(std::int64_t steps, bool stratified, bool priorities, bool loses, bool reloads = false) {
    const auto change = [&](auto& options) {
        options["n_step"].integer = steps;
        options["stratified"].integer = stratified ? 1 : 0;
    };
    SamplerRig cpu(tenon::sampler<Cpu>("x", "x"), change);
    cpu.arrays = static_cast<std::uint32_t>(steps);
    std::vector<std::vector<float>> columns((priorities ? 1 : 0) + (steps > 1 ? 1 : 0), std::vector<float>(kRows));
    for (std::vector<float>& column : columns) {
        cpu.columns.push_back(column.data());
    }
    std::vector<std::unique_ptr<OnDevice<Device>>> devices;
    const auto another = [&] {
        devices.push_back(std::make_unique<OnDevice<Device>>(change, static_cast<std::uint32_t>(steps),
                                                             static_cast<std::uint32_t>(columns.size())));
    };
    another();
    ring_world::World world(cpu, kSlots, kLanes);
    std::mt19937 dice(7);
    for (std::uint64_t round = 0; round < 60; ++round) {
        for (std::uint32_t step = 0; step < 1 + round % 5; ++step) {
            world.step(dice, 9);
        }
        if (loses && round == 40) {
            world.lose(1);
        }
        if (reloads && round % 20 == 10) {
            tenon::test::StateBytes state;
            REQUIRE(state.save(devices.back()->instance(), 0, 0) == TN_OK);
            another();
            REQUIRE(state.load(devices.back()->instance(), 0, 0) == TN_OK);
        }
        OnDevice<Device>& device = *devices.back();
        REQUIRE(cpu.sample(world.first, world.count, kRows, round) == TN_OK);
        device.sample(world, round);
        REQUIRE(device.slots == cpu.slots);
        REQUIRE(device.lanes == cpu.lanes);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            REQUIRE(std::memcmp(device.columns()[i].data(), columns[i].data(), kRows * sizeof(float)) == 0);
        }
        if (priorities && round % 3 != 0) {
            std::vector<double> given(kRows);
            for (double& priority : given) {
                priority = 1e-4 * ring_world::below(dice, 100000);
            }
            REQUIRE(cpu.prioritise(given) == TN_OK);
            device.prioritise(given);
        }
    }
}

TEST_CASE("uniform draws on the device are those of the CPU") {
    compare<Uniform, UniformOnDevice>(1, false, false, false);
    compare<Uniform, UniformOnDevice>(4, false, false, false);
    compare<Uniform, UniformOnDevice>(1, true, false, true);
}

TEST_CASE("prioritised draws and weights on the device are those of the CPU") {
    compare<Prioritised, PrioritisedOnDevice>(1, false, true, false);
    compare<Prioritised, PrioritisedOnDevice>(3, true, true, false);
    compare<Prioritised, PrioritisedOnDevice>(1, false, true, true);
}

TEST_CASE("prioritised draws on the device go on after loading as if nothing had happened") {
    compare<Prioritised, PrioritisedOnDevice>(2, false, true, true, true);
}

}  // namespace
}  // namespace draws_test
