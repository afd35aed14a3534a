// SPDX-License-Identifier: Apache-2.0
// The memory that a trainer shares with a worker process, in which lanes step with a policy of their own
// (collector.kind = "processes"): orders, what the worker needs for them, and a ring of the frames that it has made.
//
// The trainer gives an order when the previous one has been carried out and it has read the results. So neither side
// locks anything.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engines/process/bell.hpp"
#include "train/collect/lane_share.hpp"

namespace tenon {

enum class LaneOrder : std::uint32_t {
    kBegin = 1,  // new episodes in all lanes
    kSteps,
    kSave,      // the state of the lanes and of what acts, as bytes that kFetch then gets
    kSaveKept,  // the same, before the newest steps with `keeps`
    kFetch,     // the bytes in the box from `from` on
    kFeed,      // the bytes in the box are more of the state that kLoad then restores
    kLoad,      // instead of kBegin; the newest observations are in the ring
    kPart,      // what transforms have seen, as bytes that kFetch then gets
    kJoin,      // the bytes that kFeed has brought are the parts of all workers
    kTeach,     // the bytes that kFeed has brought are what transforms have learnt
    kEnd,
};

// What it says about a lane in a step.
enum WorkerMark : std::uint8_t {
    kWorkerMarkLost = 1,    // as Lanes::lost
    kWorkerMarkParked = 2,  // by this step, or before
};

// What it warns of in a step.
struct WorkerNote {
    std::uint32_t size = 0;
    std::array<char, 508> text{};
};

// A part of the ring in which each step has the same number of bytes; slots follow each other. A courier (courier.hpp)
// has to know nothing else of columns.
struct WorkerArea {
    std::uint64_t offset = 0;  // of slot 0, from the beginning of the desk
    std::uint64_t bytes = 0;   // of a slot
};

// Slots of a ring besides those for steps that wait for the trainer: of the newest observation, of the step before
// those, and one to write.
inline constexpr std::uint32_t kExtraSlots = 3;

// How large the parts are.
struct WorkerSizes {
    std::uint64_t areas = 0;     // their number
    std::uint64_t manifest = 0;  // bytes of the text
    std::uint64_t weights = 0;   // bytes of the parameters that act
    std::uint64_t live = 0;      // live values
    std::uint64_t ring = 0;      // bytes of the storage in which the lanes step
    std::uint64_t rewards = 1;   // of a lane in a step: that of the returns, and that of each group with its own
    std::uint32_t slots = 0;     // of it; a step is in the slot of its number modulo this
    std::uint32_t lanes = 0;
    LaneShare share = {};  // of the run's lanes
};

// The beginning of the memory.
struct WorkerDesk {
    WorkerSizes sizes;

    Bell order;     // the number of the latest order
    Bell answered;  // the number of the latest order that has been carried out
    Bell stepped;   // the steps that have been made, since the process began
    Bell taken;     // the steps whose frames the trainer has copied; they are overwritten

    std::uint32_t call = 0;    // a LaneOrder
    std::int64_t steps = 0;    // to be made
    std::int64_t counter = 0;  // this and the next two: as in Standing, before the first of them
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    std::int64_t running = 0;  // lanes of all workers that are not parked
    std::uint32_t keeps = 0;   // 1: the state before the first of them is kept for kSaveKept

    std::atomic<std::uint32_t> halt{0};  // 1: it ends the order after the step that it is making

    std::uint64_t from = 0;      // of the state's bytes, in the box
    std::uint64_t box_size = 0;  // how many there are
    std::uint64_t total = 0;     // of the state

    std::atomic<std::int32_t> fault{0};  // not 0: it has ended with this problem
    std::array<char, 4096> sentence{};   // ends with a zero, as the next one does
    std::array<char, 1024> help{};
};

// Writes a text to one of these fields, as far as it fits.
template <std::size_t N>
void set_text(std::array<char, N>& field, std::string_view text) {
    field[text.copy(field.data(), N - 1)] = 0;
}

inline constexpr std::size_t kWorkerBox = std::size_t{1} << 16U;

// The parts behind it.
struct WorkerParts {
    WorkerArea* areas = nullptr;
    char* manifest = nullptr;
    std::byte* weights = nullptr;
    double* live = nullptr;
    std::uint64_t* seeds = nullptr;  // [lane] of kBegin
    double* rewards = nullptr;       // [slot][reward][lane], as Lanes::rewards and rewards_of_group
    std::uint8_t* marks = nullptr;   // [slot][lane]
    WorkerNote* notes = nullptr;     // [slot]
    std::byte* box = nullptr;        // of kWorkerBox bytes
    std::byte* ring = nullptr;
    std::size_t bytes = 0;  // of all, with the desk
};

// Without a desk, only how many bytes they take.
inline WorkerParts parts_behind(std::byte* desk, const WorkerSizes& sizes) {
    constexpr std::size_t kAlignment = 64;
    std::size_t at = 0;
    const auto next = [&](std::size_t bytes) {
        std::byte* const out = desk == nullptr ? nullptr : desk + at;
        at += (bytes + kAlignment - 1) / kAlignment * kAlignment;
        return out;
    };
    const std::size_t rows = std::size_t{sizes.slots} * sizes.lanes;
    WorkerParts out;
    next(sizeof(WorkerDesk));
    out.areas = reinterpret_cast<WorkerArea*>(next(sizes.areas * sizeof(WorkerArea)));
    out.manifest = reinterpret_cast<char*>(next(sizes.manifest));
    out.weights = next(sizes.weights);
    out.live = reinterpret_cast<double*>(next(sizes.live * sizeof(double)));
    out.seeds = reinterpret_cast<std::uint64_t*>(next(sizes.lanes * sizeof(std::uint64_t)));
    out.rewards = reinterpret_cast<double*>(next(rows * sizes.rewards * sizeof(double)));
    out.marks = reinterpret_cast<std::uint8_t*>(next(rows));
    out.notes = reinterpret_cast<WorkerNote*>(next(sizes.slots * sizeof(WorkerNote)));
    out.box = next(kWorkerBox);
    out.ring = next(sizes.ring);
    out.bytes = at;
    return out;
}

}  // namespace tenon
