// SPDX-License-Identifier: Apache-2.0
// The samplers of replay_cuda on any device against those of replay: the same rows and weights to the bit while a ring
// of random episodes is filled and overwritten, with n-step rows, strata and priorities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/device/device.hpp"
#include "replay/prioritised.hpp"
#include "replay/ring_world.hpp"
#include "replay/slices.hpp"
#include "replay/uniform.hpp"
#include "replay_cuda/prioritised.hpp"
#include "replay_cuda/slices.hpp"
#include "replay_cuda/uniform.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"
#include "tenon/device_memory.hpp"

namespace on_device {
using tenon::test::OptionValues;
using tenon::test::SamplerRig;

inline constexpr std::uint32_t kSlots = 40;
inline constexpr std::uint32_t kLanes = 3;
inline constexpr std::uint32_t kRows = 65;

// The same buffer, sampled on a device. What the host copies there is copied for each call.
template <class T>
class OnDevice {
public:
    OnDevice(std::shared_ptr<tenon::Device> device, const std::function<void(OptionValues<T>&)>& change,
             std::uint32_t arrays, std::uint32_t columns)
        : device_(std::move(device)), instance_(host_, tenon::sampler<T>("x", "x"), 0, change) {
        REQUIRE(instance_.status() == TN_OK);
        api_ = instance_.template api<tn_device_sampler_api>("tenon.device_sampler/1");
        const tn_device_room room{sizeof room, kSlots, kLanes, kRows, &device_->table};
        REQUIRE(api_->open(instance_.self(), &room) == TN_OK);
        slots.resize(std::size_t{arrays} * kRows);
        lanes = slots;
        columns_.assign(columns, std::vector<float>(kRows));
        slots_ = memory<std::uint32_t>(slots.size());
        lanes_ = memory<std::uint32_t>(lanes.size());
        for (std::uint32_t i = 0; i < columns; ++i) {
            column_memory_.push_back(memory<float>(kRows));
        }
        fault_ = memory<tn_fault>(1);
    }

    void sample(const ring_world::World& world, std::uint64_t counter) {
        const SamplerRig& rig = world.sampler;
        std::uint64_t total = 0;
        for (const std::uint32_t count : world.count) {
            total += count;
        }
        const auto numbers = copied<tn_sample_numbers>({{counter, total, rig.appended, {3, 4}}});
        const auto first = copied(world.first);
        const auto count = copied(world.count);
        const auto terminated = copied(rig.terminated);
        const auto truncated = copied(rig.truncated);
        std::vector<void*> pointers;
        for (const tenon::DeviceMemory<float>& column : column_memory_) {
            pointers.push_back(column.data());
        }
        const tn_stream stream = stream_with_fault();
        const tn_device_sample_call call{.struct_size = sizeof call,
                                         .rows = kRows,
                                         .stream = &stream,
                                         .numbers = numbers.data(),
                                         .first = first.data(),
                                         .count = count.data(),
                                         .terminated = terminated.data(),
                                         .truncated = truncated.data(),
                                         .slot = slots_.data(),
                                         .lane = lanes_.data(),
                                         .columns = pointers.data(),
                                         .options = nullptr,
                                         .option_count = 0};
        REQUIRE(api_->enqueue_sample(instance_.self(), &call) == TN_OK);
        slots = slots_.read();
        lanes = lanes_.read();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            columns_[i] = column_memory_[i].read();
        }
        REQUIRE(fault_.read()[0].status == TN_OK);
    }
    void prioritise(const std::vector<double>& given) {
        const auto priorities = copied(given);
        const tn_stream stream = stream_with_fault();
        const tn_device_priority_call call{.struct_size = sizeof call,
                                           .rows = kRows,
                                           .stream = &stream,
                                           .slot = slots_.data(),
                                           .lane = lanes_.data(),
                                           .priorities = priorities.data(),
                                           .burn_in = 0,
                                           .reserved = 0};
        REQUIRE(api_->enqueue_prioritise(instance_.self(), &call) == TN_OK);
        REQUIRE(fault_.read()[0].status == TN_OK);  // waits: priorities are freed
    }

    std::vector<std::uint32_t> slots, lanes;
    [[nodiscard]] const std::vector<std::vector<float>>& columns() const { return columns_; }
    [[nodiscard]] const tenon::test::PluginInstance& instance() const { return instance_; }

private:
    template <class Item>
    tenon::DeviceMemory<Item> memory(std::size_t size) const {
        return {device_->table, size};
    }
    template <class Item>
    tenon::DeviceMemory<Item> copied(const std::vector<Item>& from) const {
        auto out = memory<Item>(from.size());
        out.write(from);
        return out;
    }
    [[nodiscard]] tn_stream stream_with_fault() const {
        tn_stream stream = device_->stream;
        stream.fault = fault_.data();
        return stream;
    }

    std::shared_ptr<tenon::Device> device_;
    tenon::test::PluginHost host_;
    tenon::test::PluginInstance instance_;
    const tn_device_sampler_api* api_ = nullptr;
    std::vector<std::vector<float>> columns_;
    tenon::DeviceMemory<std::uint32_t> slots_, lanes_;
    std::vector<tenon::DeviceMemory<float>> column_memory_;
    tenon::DeviceMemory<tn_fault> fault_;
};

// Both samplers over one world; each round has some steps, a batch, and priorities.
template <class Cpu, class Device>
void compare(const std::shared_ptr<tenon::Device>& device, std::int64_t steps, bool stratified, bool priorities,
             bool loses, bool reloads = false, bool within = false, std::uint64_t rounds = 60) {
    const auto change = [&](auto& options) {
        options["n_step"].integer = steps;
        options["stratified"].integer = stratified ? 1 : 0;
        if (within) {
            options["max_priority_within_buffer"].integer = 1;
        }
    };
    SamplerRig cpu(tenon::sampler<Cpu>("x", "x"), change);
    cpu.arrays = static_cast<std::uint32_t>(steps);
    std::vector<std::vector<float>> columns((priorities ? 1 : 0) + (steps > 1 ? 1 : 0), std::vector<float>(kRows));
    for (std::vector<float>& column : columns) {
        cpu.columns.push_back(column.data());
    }
    std::vector<std::unique_ptr<OnDevice<Device>>> devices;
    const auto another = [&] {
        devices.push_back(std::make_unique<OnDevice<Device>>(device, change, static_cast<std::uint32_t>(steps),
                                                             static_cast<std::uint32_t>(columns.size())));
    };
    another();
    ring_world::World world(cpu, kSlots, kLanes);
    std::mt19937 dice(7);
    for (std::uint64_t round = 0; round < rounds; ++round) {
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
        OnDevice<Device>& here = *devices.back();
        REQUIRE(cpu.sample(world.first, world.count, kRows, round) == TN_OK);
        here.sample(world, round);
        REQUIRE(here.slots == cpu.slots);
        REQUIRE(here.lanes == cpu.lanes);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            REQUIRE(std::memcmp(here.columns()[i].data(), columns[i].data(), kRows * sizeof(float)) == 0);
        }
        if (priorities && round % 3 != 0) {
            std::vector<double> given(kRows);
            for (double& priority : given) {
                priority = 1e-4 * ring_world::below(dice, 100000);
            }
            REQUIRE(cpu.prioritise(given) == TN_OK);
            here.prioritise(given);
        }
    }
}

// Sequences of four steps, so that a column of their flags has as many bytes as one of floats has for a row.
inline void compare_slices(const std::shared_ptr<tenon::Device>& device, bool strict, const char* span, bool truncates,
                           std::uint32_t mean_length) {
    constexpr std::uint32_t kLength = 4;
    const auto change = [&](auto& options) {
        options["length"].integer = kLength;
        options["strict"].integer = strict ? 1 : 0;
        options["min_length"].integer = strict ? 1 : 2;
        options["span"].text = tenon::to_str(span);
        options["truncate"].integer = truncates ? 1 : 0;
    };
    SamplerRig cpu(tenon::sampler<Slices>("x", "x"), change);
    cpu.arrays = kLength;
    std::vector<std::vector<float>> columns((strict ? 0 : 1) + (truncates ? 2 : 0), std::vector<float>(kRows));
    for (std::vector<float>& column : columns) {
        cpu.columns.push_back(column.data());
    }
    OnDevice<SlicesOnDevice> here(device, change, kLength, static_cast<std::uint32_t>(columns.size()));
    ring_world::World world(cpu, kSlots, kLanes);
    std::mt19937 dice(7);
    for (std::uint32_t step = 0; step < kSlots - 3; ++step) {
        world.step(dice, mean_length);
    }
    for (std::uint64_t round = 0; round < 12; ++round) {
        world.step(dice, mean_length);
        if (round == 9) {
            world.lose(1);
        }
        REQUIRE(cpu.sample(world.first, world.count, kRows, round) == TN_OK);
        here.sample(world, round);
        REQUIRE(here.slots == cpu.slots);
        REQUIRE(here.lanes == cpu.lanes);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            REQUIRE(std::memcmp(here.columns()[i].data(), columns[i].data(), kRows * sizeof(float)) == 0);
        }
    }
}

inline void compare_slices(const std::shared_ptr<tenon::Device>& device) {
    compare_slices(device, true, "right", false, 9);
    compare_slices(device, true, "right", true, 4);  // few starts are whole
    for (const char* const span : {"none", "left", "right", "both"}) {
        compare_slices(device, false, span, true, 5);
    }
}

// Every case of tests/unit/replay_cuda/draws_test.cpp and tests/gpu.
inline void compare_uniform(const std::shared_ptr<tenon::Device>& device) {
    compare<Uniform, UniformOnDevice>(device, 1, false, false, false);
    compare<Uniform, UniformOnDevice>(device, 4, false, false, false);
    compare<Uniform, UniformOnDevice>(device, 1, true, false, true);
}

inline void compare_prioritised(const std::shared_ptr<tenon::Device>& device) {
    compare<Prioritised, PrioritisedOnDevice>(device, 1, false, true, false);
    compare<Prioritised, PrioritisedOnDevice>(device, 3, true, true, false);
    compare<Prioritised, PrioritisedOnDevice>(device, 1, false, true, true);
    compare<Prioritised, PrioritisedOnDevice>(device, 2, false, true, true, true, true);
}

// One of each kernel, for a tool that takes long for each launch.
inline void compare_few(const std::shared_ptr<tenon::Device>& device) {
    compare<Uniform, UniformOnDevice>(device, 1, false, false, false, false, false, 3);
    compare<Prioritised, PrioritisedOnDevice>(device, 2, false, true, false, true, true, 12);
    compare_slices(device, false, "both", true, 5);
}

// Its state is saved and loaded in between.
inline void compare_loaded(const std::shared_ptr<tenon::Device>& device) {
    compare<Prioritised, PrioritisedOnDevice>(device, 2, false, true, true, true);
}

}  // namespace on_device
