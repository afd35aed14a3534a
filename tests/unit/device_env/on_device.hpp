// SPDX-License-Identifier: Apache-2.0
// An env on a device against the same env on the CPU: the same bytes in all columns and in its saved state, through
// ends of episodes, resets of some lanes, steps of some lanes, and loading.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engines/cuda/devices.hpp"
#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/env.hpp"

namespace on_device {

using tenon::test::EnvRig;
using tenon::test::OptionValues;

inline constexpr std::uint32_t kLanes = 35;  // more than a block of threads, and no multiple of a pack
inline constexpr std::uint32_t kSlots = 3;

// The rig's instance, stepped on the device; what a host copies is copied for each call.
class Stepped {
public:
    Stepped(EnvRig& rig, std::shared_ptr<tenon::Device> device)
        : rig_(&rig), device_(std::move(device)), api_(rig.instance.api<tn_device_env_api>("tenon.device_env/1")) {
        const tn_device_env_room room{sizeof room, rig.columns.lanes(), &device_->table};
        REQUIRE(api_->open(rig.instance.self(), &room) == TN_OK);
        const tn_env_info info = rig.describe();
        for (std::uint32_t i = 0; i < info.spec_count; ++i) {
            const tn_spec& spec = *info.specs[i];
            Column& column = columns_.emplace_back();
            column.key = {spec.key.data, spec.key.size};
            column.role = spec.role;
            column.row = rig.columns.row(column.key, 0, 0).size();
            column.memory = memory(column.row);
            column.final = memory(spec.role == TN_ROLE_OBSERVATION ? column.row : 0);
        }
        terminated_ = memory(1);
        truncated_ = memory(1);
        fault_ = {device_->table, 1};
        for (const Column& column : columns_) {
            pointers_.push_back(column.memory.data());
            finals_.push_back(column.final.data());
        }
    }

    void reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        const auto masked = copied(mask);
        const auto seeded = copied(seeds);
        const tn_stream stream = stream_with_fault();
        const tn_device_env_call call = call_of(stream, 0, lanes());
        REQUIRE(api_->enqueue_reset(rig_->instance.self(), &call, masked.data(), seeded.data()) == TN_OK);
        for (const Column& column : columns_) {
            for (std::uint32_t lane = 0; column.role == TN_ROLE_OBSERVATION && lane < lanes(); ++lane) {
                if (mask == nullptr || mask[lane] != 0) {
                    show(column.memory.read(), column.key, slot, lane);
                }
            }
        }
    }

    tn_fault step(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count) {
        for (Column& column : columns_) {
            if (column.role == TN_ROLE_ACTION) {
                std::vector<std::uint8_t> all;
                for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
                    const auto row = rig_->columns.row(column.key, slot, lane);
                    all.insert(all.end(), row.begin(), row.end());
                }
                column.memory.write(all);
            }
        }
        const tn_stream stream = stream_with_fault();
        const tn_device_env_call call = call_of(stream, first, count);
        REQUIRE(api_->enqueue_step(rig_->instance.self(), &call) == TN_OK);
        const std::vector<std::uint8_t> terminated = terminated_.read();
        const std::vector<std::uint8_t> truncated = truncated_.read();
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            show(terminated, "terminated", slot, lane);
            show(truncated, "truncated", slot, lane);
        }
        for (const Column& column : columns_) {
            const bool follows = column.role == TN_ROLE_OBSERVATION;
            const std::vector<std::uint8_t> all = column.memory.read();
            const std::vector<std::uint8_t> final = column.final.read();
            for (std::uint32_t lane = first; column.role != TN_ROLE_ACTION && lane < first + count; ++lane) {
                show(all, column.key, follows ? next : slot, lane);
                if (follows && (terminated[lane] | truncated[lane]) != 0) {
                    show(final, "next." + column.key, slot, lane);
                }
            }
        }
        return fault_.read()[0];
    }

private:
    struct Column {
        std::string key;
        std::int32_t role = 0;
        std::size_t row = 0;  // bytes of a lane
        tenon::DeviceMemory<std::uint8_t> memory, final;
    };

    [[nodiscard]] std::uint32_t lanes() const { return rig_->columns.lanes(); }
    [[nodiscard]] tenon::DeviceMemory<std::uint8_t> memory(std::size_t row) const {
        return {device_->table, row * lanes()};
    }
    template <class Item>
    [[nodiscard]] tenon::DeviceMemory<Item> copied(const Item* from) const {
        if (from == nullptr) {
            return {};
        }
        tenon::DeviceMemory<Item> out(device_->table, lanes());
        out.write(std::vector<Item>(from, from + lanes()));
        return out;
    }
    void show(const std::vector<std::uint8_t>& from, const std::string& key, std::uint32_t slot, std::uint32_t lane) {
        const auto row = rig_->columns.row(key, slot, lane);
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(lane * row.size()), row.size(), row.begin());
    }
    [[nodiscard]] tn_stream stream_with_fault() const {
        tn_stream stream = device_->stream;
        stream.fault = fault_.data();
        return stream;
    }
    [[nodiscard]] tn_device_env_call call_of(const tn_stream& stream, std::uint32_t first, std::uint32_t count) const {
        return {.struct_size = sizeof(tn_device_env_call),
                .flags = 0,
                .first = first,
                .count = count,
                .stream = &stream,
                .columns = pointers_.data(),
                .finals = finals_.data(),
                .column_count = pointers_.size(),
                .terminated = terminated_.data(),
                .truncated = truncated_.data()};
    }

    EnvRig* rig_;
    std::shared_ptr<tenon::Device> device_;
    const tn_device_env_api* api_;
    std::vector<Column> columns_;
    std::vector<void*> pointers_, finals_;
    tenon::DeviceMemory<std::uint8_t> terminated_, truncated_;
    tenon::DeviceMemory<tn_fault> fault_;
};

// act(dice, rig, slot, lane) writes an action that depends on the dice alone.
template <class Component, class Act, class Change>
void compare(const std::shared_ptr<tenon::Device>& device, Component component, const Act& act, const Change& change,
             int steps) {
    EnvRig cpu(component, kLanes, kSlots, change);
    EnvRig on_device(component, kLanes, kSlots, change);
    Stepped stepped(on_device, device);
    std::minstd_rand random(5);
    const auto dice = [&] { return static_cast<std::uint32_t>(random()); };
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::uint64_t& seed : seeds) {
        seed = dice();
    }
    cpu.reset(seeds);
    stepped.reset(0, nullptr, seeds.data());
    REQUIRE(cpu.columns.bytes() == on_device.columns.bytes());
    std::uint32_t slot = 0;
    std::uint32_t ends = 0;
    for (int number = 0; number < steps; ++number) {
        const std::uint32_t next = (slot + 1) % kSlots;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t draw = dice() / 8;
            act(draw, cpu, slot, lane);
            act(draw, on_device, slot, lane);
        }
        REQUIRE(cpu.step(slot, next) == TN_OK);
        REQUIRE(stepped.step(slot, next, 0, kLanes - 9).status == TN_OK);  // in two calls
        REQUIRE(stepped.step(slot, next, kLanes - 9, 9).status == TN_OK);
        CAPTURE(number);
        REQUIRE(cpu.columns.bytes() == on_device.columns.bytes());
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            ends += cpu.columns.template at<bool>("terminated", slot, lane) ||
                            cpu.columns.template at<bool>("truncated", slot, lane)
                        ? 1
                        : 0;
        }
        slot = next;
        if (number % 20 == 7) {
            std::vector<std::uint8_t> mask(kLanes);
            for (std::uint8_t& one : mask) {
                one = static_cast<std::uint8_t>(dice() / 8 % 2);
            }
            REQUIRE(cpu.reset_masked(slot, mask.data(), nullptr) == TN_OK);
            stepped.reset(slot, mask.data(), nullptr);
            REQUIRE(cpu.columns.bytes() == on_device.columns.bytes());
        }
        if (number % 25 == 11) {  // saved here and loaded there
            tenon::test::StateBytes saved;
            tenon::test::StateBytes same;
            REQUIRE(saved.save(cpu.instance, 0, kLanes) == TN_OK);
            REQUIRE(same.save(on_device.instance, 0, kLanes) == TN_OK);
            REQUIRE(saved.bytes == same.bytes);
            stepped.reset(slot, nullptr, nullptr);
            REQUIRE(saved.load(on_device.instance, 0, kLanes) == TN_OK);
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {  // what the reset has overwritten
                std::ranges::copy(cpu.columns.row("observation", slot, lane),
                                  on_device.columns.row("observation", slot, lane).begin());
            }
        }
    }
    CHECK(ends > 0);
}

template <class Component, class Act>
void compare(const std::shared_ptr<tenon::Device>& device, Component component, const Act& act, int steps) {
    compare(device, component, act, [](auto& /*options*/) {}, steps);
}

// Actions of categories, and of a float somewhat beyond its limits.
inline auto choice(std::uint32_t choices) {
    return [choices](std::uint32_t draw, EnvRig& rig, std::uint32_t slot, std::uint32_t lane) {
        rig.columns.at<std::int64_t>("action", slot, lane) = draw % choices;
    };
}
inline auto number(float most) {
    return [most](std::uint32_t draw, EnvRig& rig, std::uint32_t slot, std::uint32_t lane) {
        rig.columns.at<float>("action", slot, lane) = most * (static_cast<float>(draw % 2001) / 1000 - 1);
    };
}

}  // namespace on_device
