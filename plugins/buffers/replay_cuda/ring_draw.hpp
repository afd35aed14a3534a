// SPDX-License-Identifier: Apache-2.0
// Rows drawn from a ring without weights: one kernel adds up where each lane's frames end, another chooses among them.
#pragma once

#include "chosen_rows.hpp"
#include "kernels.hpp"

class RingDraw {
public:
    // `kernel` takes the ring, the ends, the call's numbers, the rows, and what enqueue is given besides.
    void open(const tenon::DeviceRoom& room, const char* kernel) {
        void* const module = replay_cuda_kernels(*room.device);
        add_up_ = {*room.device, module, "replay_add_up"};
        draw_ = {*room.device, module, kernel};
        ends_ = {*room.device, room.lanes};
        threads_ = threads_for(*room.device);
        slots_ = room.slots;
        lanes_ = room.lanes;
    }

    template <class... More>
    void enqueue(const tn_device_sample_call& call, const Rows& rows, More... more) {
        const Ring ring = ring_of(call, slots_, lanes_);
        const Grid grid = grid_for(call.rows, threads_);
        add_up_.launch(*call.stream, 1, grid_for(lanes_, threads_).threads, ring, ends_.data());
        draw_.launch(*call.stream, grid.blocks, grid.threads, ring, static_cast<const std::uint64_t*>(ends_.data()),
                     call.numbers, rows, more...);
    }

private:
    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
    std::uint32_t threads_ = kThreads;
    tenon::DeviceKernel add_up_;
    tenon::DeviceKernel draw_;
    tenon::DeviceMemory<std::uint64_t> ends_;
};
