// SPDX-License-Identifier: Apache-2.0
// Uniform replay on a device: the rows of replay/uniform.
#pragma once

#include <tuple>

#include "chosen_rows.hpp"
#include "kernels.hpp"
#include "uniform.cuh"

class UniformOnDevice {
public:
    static constexpr bool only_on_device = true;

    [[nodiscard]] tenon::SamplerPlan plan() const { return tenon::with_steps({.gathers = {{.source = "*"}}}, steps_); }

    void sample(tenon::Rng& /*rng*/, const tenon::Transitions& /*buffer*/, const tenon::SampleRows& /*rows*/) const {
        refuse_cpu();
    }

    void open(const tenon::DeviceRoom& room) {
        void* const module = replay_cuda_kernels(*room.device);
        add_up_ = {*room.device, module, "replay_add_up"};
        draw_ = {*room.device, module, "replay_draw_uniform"};
        ends_ = {*room.device, room.lanes};
        threads_ = threads_for(*room.device);
        slots_ = room.slots;
        lanes_ = room.lanes;
    }

    void enqueue_sample(const tn_device_sample_call& call) {
        const Ring ring = ring_of(call, slots_, lanes_);
        const Grid grid = grid_for(call.rows, threads_);
        add_up_.launch(*call.stream, 1, grid_for(lanes_, threads_).threads, ring, ends_.data());
        draw_.launch(*call.stream, grid.blocks, grid.threads, ring, static_cast<const std::uint64_t*>(ends_.data()),
                     call.numbers, rows_of(call, steps_, 0), std::uint32_t{stratified_ ? 1U : 0U});
    }

private:
    std::uint32_t steps_ = 1;
    bool stratified_ = false;

    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint32_t threads_ = kThreads;
    tenon::DeviceKernel add_up_;
    tenon::DeviceKernel draw_;
    tenon::DeviceMemory<std::uint64_t> ends_;

public:
    static constexpr auto options =
        std::tuple{tenon::option<&UniformOnDevice::steps_>("n_step", 1, "[1,1000]",
                                                           "consecutive steps of an episode in a row (n-step)"),
                   tenon::option<&UniformOnDevice::stratified_>(
                       "stratified", false, "",
                       "row i of n draws from the i-th of n equal parts of the buffer (lane by lane, the oldest "
                       "first), in place of all of it")};
};
