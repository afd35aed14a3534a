// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/desk_mirror.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace tenon {
namespace {

constexpr std::uint32_t kNoArea = ~std::uint32_t{0};  // ends a list of rows

// The fields and parts that an order needs, each as an address and its bytes. True if f is so for all.
template <class F>
bool each_of_order(WorkerDesk& desk, const WorkerParts& parts, F f) {
    bool all = f(&desk.call, sizeof desk.call) && f(&desk.steps, sizeof desk.steps) &&
               f(&desk.counter, sizeof desk.counter) && f(&desk.frames, sizeof desk.frames) &&
               f(&desk.updates, sizeof desk.updates) && f(&desk.running, sizeof desk.running) &&
               f(&desk.keeps, sizeof desk.keeps) && f(&desk.from, sizeof desk.from);
    switch (static_cast<LaneOrder>(desk.call)) {
        case LaneOrder::kBegin:
            return all && f(parts.seeds, desk.sizes.lanes * sizeof(std::uint64_t));
        case LaneOrder::kSteps:
            return all && f(parts.live, desk.sizes.live * sizeof(double));
        case LaneOrder::kFeed:
            return all && f(&desk.box_size, sizeof desk.box_size) && f(parts.box, kWorkerBox);
        default:
            return all;
    }
}

}  // namespace

DeskMirror::DeskMirror(SharedMemory memory)
    : memory_(std::move(memory)), parts_(parts_behind(memory_.data(), desk().sizes)) {
    const WorkerSizes& sizes = desk().sizes;
    areas_.assign(parts_.areas, parts_.areas + sizes.areas);
    const auto add = [&](const void* part, std::size_t bytes_of_slot) {
        areas_.push_back({.offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(part) - memory_.data()),
                          .bytes = bytes_of_slot});
    };
    add(parts_.rewards, sizes.rewards * sizes.lanes * sizeof(double));
    add(parts_.marks, sizes.lanes);
    add(parts_.notes, sizeof(WorkerNote));
    std::size_t bytes = 0;
    for (const WorkerArea& area : areas_) {
        bytes += area.bytes;
    }
    sent_.resize(bytes * sizes.slots);
}

void DeskMirror::describe(CourierMessage& message) const {
    const WorkerSizes& sizes = desk().sizes;
    message.put(sizes);
    message.put(parts_.manifest, sizes.manifest);
    message.put(parts_.areas, sizes.areas * sizeof(WorkerArea));
}

Result<DeskMirror> DeskMirror::like(CourierMessage& message, bool& complete) {
    WorkerSizes sizes;
    complete = message.take(sizes);
    SharedMemory memory = TENON_TRY(SharedMemory::make(parts_behind(nullptr, sizes).bytes));
    new (memory.data()) WorkerDesk;
    reinterpret_cast<WorkerDesk*>(memory.data())->sizes = sizes;
    const WorkerParts parts = parts_behind(memory.data(), sizes);
    complete = complete && message.take(parts.manifest, sizes.manifest) &&
               message.take(parts.areas, sizes.areas * sizeof(WorkerArea));
    return DeskMirror(std::move(memory));
}

std::byte* DeskMirror::at(std::size_t area, std::uint32_t slot) const {
    return memory_.data() + areas_[area].offset + areas_[area].bytes * slot;
}

void DeskMirror::put_slot(CourierMessage& message, std::uint32_t slot, bool only_changed) {
    std::byte* sent = sent_.data() + sent_.size() / desk().sizes.slots * slot;
    for (std::uint32_t i = 0; i < areas_.size(); sent += areas_[i].bytes, ++i) {
        // The worker may be writing the newest slot: what is sent is what is remembered, and a later call sends the
        // rest.
        if (!only_changed || std::memcmp(sent, at(i, slot), areas_[i].bytes) != 0) {
            std::memcpy(sent, at(i, slot), areas_[i].bytes);
            message.put(i);
            message.put(slot);
            message.put(sent, areas_[i].bytes);
        }
    }
}

bool DeskMirror::take_rows(CourierMessage& message) {
    std::uint32_t area = 0;
    std::uint32_t slot = 0;
    while (message.take(area) && area != kNoArea) {
        if (area >= areas_.size() || !message.take(slot) || slot >= desk().sizes.slots ||
            !message.take(at(area, slot), areas_[area].bytes)) {
            return false;
        }
    }
    return area == kNoArea;
}

void DeskMirror::put_order(CourierMessage& message) {
    WorkerDesk& desk = this->desk();
    each_of_order(desk, parts_, [&](const void* from, std::size_t bytes) {
        message.put(from, bytes);
        return true;
    });
    const std::span<const std::byte> now(parts_.weights, desk.sizes.weights);
    const bool newer = static_cast<LaneOrder>(desk.call) == LaneOrder::kSteps && !now.empty() &&
                       (weights_.size() != now.size() || std::memcmp(weights_.data(), now.data(), now.size()) != 0);
    message.put(newer);
    if (static_cast<LaneOrder>(desk.call) == LaneOrder::kLoad) {
        put_slot(message, desk.taken.number.load() % desk.sizes.slots, false);
    }
    message.put(kNoArea);
    if (newer) {
        weights_.assign(now.begin(), now.end());
        message.put_last(weights_);
    }
}

bool DeskMirror::take_order(CourierMessage& message) {
    WorkerDesk& desk = this->desk();
    if (!each_of_order(desk, parts_, [&](void* to, std::size_t bytes) { return message.take(to, bytes); })) {
        return false;
    }
    bool newer = false;
    return message.take(newer) && take_rows(message) && (!newer || message.take(parts_.weights, desk.sizes.weights));
}

// Besides the rows of its step, a step changes the ends of the one before, and has the observations of the next one.
void DeskMirror::put_steps(CourierMessage& message, std::uint32_t steps) {
    const std::uint32_t slots = desk().sizes.slots;
    const std::uint32_t count = std::min(steps - next_ + 2, slots);
    for (std::uint32_t i = 0; i < count; ++i) {
        put_slot(message, (steps + slots - i) % slots, true);
    }
    message.put(kNoArea);
    next_ = steps;
}

void DeskMirror::put_answer(CourierMessage& message, std::uint32_t steps) {
    put_steps(message, steps);
    message.put(steps);
    const WorkerDesk& desk = this->desk();
    const std::uint64_t size = std::min<std::uint64_t>(desk.box_size, kWorkerBox);
    message.put(size);
    message.put(desk.total);
    message.put(parts_.box, size);
}

bool DeskMirror::take_answer(CourierMessage& message, std::uint32_t& steps) {
    WorkerDesk& desk = this->desk();
    std::uint64_t size = 0;
    if (!take_rows(message) || !message.take(steps) || !message.take(size) || size > kWorkerBox ||
        !message.take(desk.total) || !message.take(parts_.box, size)) {
        return false;
    }
    desk.box_size = size;
    return true;
}

}  // namespace tenon
