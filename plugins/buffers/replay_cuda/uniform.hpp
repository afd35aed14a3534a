// SPDX-License-Identifier: Apache-2.0
// Uniform replay on a device: the rows of replay/uniform.
#pragma once

#include <tuple>

#include "ring_draw.hpp"
#include "uniform.cuh"

class UniformOnDevice {
public:
    static constexpr bool only_on_device = true;

    [[nodiscard]] tenon::SamplerPlan plan() const { return tenon::with_steps({.gathers = {{.source = "*"}}}, steps_); }

    void sample(tenon::Rng& /*rng*/, const tenon::Transitions& /*buffer*/, const tenon::SampleRows& /*rows*/) const {
        refuse_cpu();
    }

    void open(const tenon::DeviceRoom& room) { draw_.open(room, "replay_draw_uniform"); }

    void enqueue_sample(const tn_device_sample_call& call) {
        draw_.enqueue(call, rows_of(call, steps_, 0), std::uint32_t{stratified_ ? 1U : 0U});
    }

private:
    std::uint32_t steps_ = 1;
    bool stratified_ = false;

    RingDraw draw_;

public:
    static constexpr auto options =
        std::tuple{tenon::option<&UniformOnDevice::steps_>("n_step", 1, "[1,1000]",
                                                           "consecutive steps of an episode in a row (n-step)"),
                   tenon::option<&UniformOnDevice::stratified_>(
                       "stratified", false, "",
                       "row i of n draws from the i-th of n equal parts of the buffer (lane by lane, the oldest "
                       "first), in place of all of it")};
};
