// SPDX-License-Identifier: Apache-2.0
// The lanes of an env on a device (device_rules.hpp says what an author writes). The lanes that the env has on the CPU
// are their copy: they are read from the device to be saved or drawn, and written to it when loaded.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/device_env.h"
#include "tenon/device_lane.hpp"
#include "tenon/device_memory.hpp"
#include "tenon/env_spec.hpp"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class R, class Member>
struct DeviceEnv {
    using Rules = R;
    const char* kernels;              // what TENON_DEVICE_ENV calls them
    void* (*load)(const tn_device&);  // what TENON_KERNELS has made
    Member now;                       // the member of a lane's object that is its state; none for an env of packs
};

template <class Rules>
constexpr DeviceEnv<Rules, std::nullptr_t> device_env(const char* kernels, void* (*load)(const tn_device&)) {
    return {kernels, load, nullptr};
}
template <class Rules, class T>
constexpr DeviceEnv<Rules, typename Rules::State T::*> device_env(const char* kernels, void* (*load)(const tn_device&),
                                                                  typename Rules::State T::* now) {
    return {kernels, load, now};
}

template <class T>
concept EnvOnDevice = requires { typename std::remove_cvref_t<decltype(T::on_device)>::Rules; };

template <class T>
class DeviceLanes {
public:
    [[nodiscard]] bool is_open() const { return lanes_ != nullptr; }

    template <class Lanes>
    void open(const tn_device_env_room& room, const EnvSpec& spec, std::int64_t limit, const Lanes& lanes) {
        set_rows(spec, limit);
        const tn_device& device = *room.device;
        void* const module = T::on_device.load(device);
        const std::string name = T::on_device.kernels;
        reset_ = {device, module, (name + "_reset").c_str()};
        step_ = {device, module, (name + "_step").c_str()};
        // Each thread costs time if it is emulated.
        threads_ = device.device_type == TN_DEVICE_CUDA ? 128 : std::min<std::uint32_t>(room.lanes, 32);
        count_ = room.lanes;
        lanes_ = std::make_unique<DeviceMemory<Lane>>(device, room.lanes);
        write(lanes);
    }

    void enqueue_reset(const T& author, const tn_device_env_call& call, const std::uint8_t* mask,
                       const std::uint64_t* seeds) const {
        reset_.launch(*call.stream, blocks(call), threads_, static_cast<const Rules&>(author), lanes_->data(),
                      rows_of(call), mask, seeds);
    }
    void enqueue_step(const T& author, const tn_device_env_call& call) const {
        step_.launch(*call.stream, blocks(call), threads_, static_cast<const Rules&>(author), lanes_->data(),
                     rows_of(call));
    }

    // Copies between the lanes on the CPU and those on the device.
    template <class Lanes>
    void write(const Lanes& from) {
        std::vector<Lane> lanes(count_);
        for (std::uint32_t lane = 0; lane < count_; ++lane) {
            from.give(lane, lanes[lane]);
        }
        lanes_->write(lanes);
    }
    template <class Lanes>
    void read(Lanes& to) const {
        const std::vector<Lane> lanes = lanes_->read();
        for (std::uint32_t lane = 0; lane < count_; ++lane) {
            to.take(lane, lanes[lane]);
        }
    }

private:
    using Rules = typename std::remove_cvref_t<decltype(T::on_device)>::Rules;
    using Lane = DeviceLane<Rules>;
    static_assert(std::derived_from<T, Rules>,
                  "an env with kernels derives from its rules: see tenon/device_rules.hpp");
    static_assert(std::is_trivially_copyable_v<Rules> && std::is_trivially_copyable_v<typename Rules::State>,
                  "the rules of an env with kernels and their State are plain data, without strings and pointers");

    [[nodiscard]] std::uint32_t blocks(const tn_device_env_call& call) const {
        return std::max<std::uint32_t>((call.count + threads_ - 1) / threads_, 1);
    }

    void set_rows(const EnvSpec& spec, std::int64_t limit) {
        constexpr std::int32_t kObserved = dtype_of<typename Rules::Observation>();
        const bool single = spec.observations.size() == 1 && spec.actions.size() == 1 && spec.extras.empty() &&
                            spec.rewards.empty() && spec.ends.empty() && spec.actions[0].elements() == 1;
        if (!single || spec.observations[0].dtype != kObserved) {
            throw Error(TN_INTERNAL, std::string("an env with kernels has one observation, of ") +
                                         dtype_name(kObserved) + ", one action of one number, and no further columns");
        }
        const Spec& action = spec.actions[0];
        rows_.choices = action.kind == TN_SPEC_CATEGORICAL ? action.categories[0] : 0;
        if (action.dtype != (rows_.choices > 0 ? TN_I64 : TN_F32)) {
            throw Error(TN_INTERNAL, "the action of an env with kernels is categorical, of int64, or of float32");
        }
        rows_.limit = limit;
        rows_.elements = static_cast<std::uint32_t>(spec.observations[0].elements());
        rows_.is_double = spec.reward.dtype == TN_F64 ? 1 : 0;
    }

    // The columns are observation, action and reward (EnvSpec::all).
    [[nodiscard]] DeviceEnvRows rows_of(const tn_device_env_call& call) const {
        DeviceEnvRows out = rows_;
        out.observation = call.columns[0];
        out.final_observation = call.finals[0];
        out.action = call.columns[1];
        out.reward = call.columns[2];
        out.terminated = call.terminated;
        out.truncated = call.truncated;
        out.fault = call.stream->fault;
        out.first = call.first;
        out.count = call.count;
        return out;
    }

    DeviceEnvRows rows_{};
    DeviceKernel reset_, step_;
    std::uint32_t threads_ = 32;
    std::uint32_t count_ = 0;
    std::unique_ptr<DeviceMemory<Lane>> lanes_;
};

// Replaces DeviceLanes for envs without kernels.
struct NoDeviceLanes {
    [[nodiscard]] static bool is_open() { return false; }
};

}  // namespace TENON_SDK
}  // namespace tenon
