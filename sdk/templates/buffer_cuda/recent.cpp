// SPDX-License-Identifier: Apache-2.0
// Replay from the newest part of the buffer, with replacement, on a device: the same rows as those of sample, which a
// test compares them with.
#include <tenon/device_memory.hpp>
#include <tenon/sampler.hpp>

#include "choice.hpp"

void* load_kernels(const tn_device& device);  // kernels.cpp

struct Recent {
    double share;

    static constexpr auto options =
        std::tuple{tenon::option<&Recent::share>("share", 0.5, "(0,1]", "the newest fraction of each lane's frames")};

    // One array of rows, and for these rows every column that the objective reads.
    static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }

    // A generator of its own for each row, so that a thread can draw one row.
    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            tenon::Rng own = rng.branch(row);
            const std::uint32_t lane = buffer.at(own.below(buffer.size())).lane;
            rows.set(row, buffer.at(lane, choose(own, buffer.size_of(lane), share)));
        }
    }

    void open(const tenon::DeviceRoom& room) {
        draw = {*room.device, load_kernels(*room.device), "draw"};
        slots = room.slots;
        lanes = room.lanes;
    }

    void enqueue_sample(const tn_device_sample_call& call) {
        draw.launch(*call.stream, (call.rows + 31) / 32, 32, call.numbers, call.first, call.count, slots, lanes,
                    call.rows, share, call.slot, call.lane);
    }

    tenon::DeviceKernel draw;
    std::uint32_t slots = 0;
    std::uint32_t lanes = 0;
};

TENON_PLUGIN("recent", "0.1.0", tenon::sampler<Recent>("recent", "the newest part of the buffer, uniformly"));
