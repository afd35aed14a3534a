// SPDX-License-Identifier: Apache-2.0
// Copies of one desk on two machines. Every byte of a desk has one writer at a time: the trainer before it gives an
// order, the worker until it has carried it out. So each side sends what its own side has written, and nothing is ever
// in conflict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error/result.hpp"
#include "engines/process/shared_memory.hpp"
#include "engines/source_processes/courier_message.hpp"
#include "engines/source_processes/worker_desk.hpp"

namespace tenon {

class DeskMirror {
public:
    explicit DeskMirror(SharedMemory memory);  // a desk that the trainer has made
    // One like that which the message describes. False in `complete`: the message does not describe one.
    static Result<DeskMirror> like(CourierMessage& message, bool& complete);
    void describe(CourierMessage& message) const;

    [[nodiscard]] WorkerDesk& desk() const { return *reinterpret_cast<WorkerDesk*>(memory_.data()); }
    [[nodiscard]] const SharedMemory& memory() const { return memory_; }

    // What the trainer writes before the order that stands on the desk.
    void put_order(CourierMessage& message);
    bool take_order(CourierMessage& message);

    // What the worker has written since the last call, until its step number `steps`.
    void put_steps(CourierMessage& message, std::uint32_t steps);
    bool take_rows(CourierMessage& message);  // those of steps, of an order and of an answer
    // The same, with what answers an order.
    void put_answer(CourierMessage& message, std::uint32_t steps);
    bool take_answer(CourierMessage& message, std::uint32_t& steps);

private:
    void put_slot(CourierMessage& message, std::uint32_t slot, bool only_changed);
    [[nodiscard]] std::byte* at(std::size_t area, std::uint32_t slot) const;

    SharedMemory memory_;
    WorkerParts parts_;
    std::vector<WorkerArea> areas_;
    std::vector<std::byte> sent_;     // of the areas, slot by slot, as the other side has them
    std::vector<std::byte> weights_;  // the newest that the worker has
    std::uint32_t next_ = 0;          // step whose slot has not been sent as a whole
};

}  // namespace tenon
