// SPDX-License-Identifier: Apache-2.0
// Acts by a program: reads observations at the storage's head and writes actions and other stored outputs, without
// copies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/data/slab.hpp"
#include "base/data/spec.hpp"
#include "compute/exec/program.hpp"
#include "experience/env/action_check.hpp"
#include "experience/replay/device_ring.hpp"
#include "experience/replay/storage.hpp"
#include "train/collect/lane_share.hpp"
#include "train/collect/memories.hpp"
#include "train/plan/programs.hpp"

namespace tenon {

class Actor {
public:
    // The built program must outlive the actor; the storage may be moved, but not destroyed. `specs` are the env's
    // columns after transforms.
    static Result<Actor> make(const BuiltProgram& built, std::uint64_t seed, Executor& executor, Learner& learner,
                              const Storage& storage, const Composite& specs, LaneShare share = {});
    // The same on a device, between the columns of the present step; the ring must outlive the actor. It has no
    // memories, and what is wrong with its outputs is found when they become rows.
    static Result<Actor> make_on_device(const BuiltProgram& built, std::uint64_t seed, Executor& executor,
                                        Learner& learner, const DeviceRing& ring, LaneShare share);

    // Writes the actions of all lanes at the storage's head; random numbers depend only on counter and lane. An action
    // that the env cannot take is the policy's problem, and so is any other output that is not finite.
    Status act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter) {
        return act(storage, numbers, counter, storage.lanes());
    }
    // The same for only the first `lanes` lanes.
    Status act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter, std::uint32_t lanes);

    // The same for these lanes, in any number and in ascending order: their rows are copied to the program and back,
    // and the rows of other lanes stay as they are.
    Status act(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter,
               std::span<const std::uint32_t> lanes);

    // Enqueues acting in all lanes of the ring.
    Status act_on_device(std::uint32_t lanes, const RunNumbers& numbers, std::uint64_t counter);

    // Later calls on the CPU tell it what their loops compute; null: no longer.
    void watch(const Watch* watch) { watch_ = watch; }

    // Whether it has a memory between steps, so that no step may be skipped.
    [[nodiscard]] bool remembers() const {
        return !memories_.empty() || std::ranges::any_of(outputs_, &Rows::is_later);
    }
    [[nodiscard]] std::string_view computed_by() const { return computed_->computed_by(); }  // of the last call
    // Memories that have no column in the storage.
    [[nodiscard]] Memories& memories() { return memories_; }

private:
    // The rows of a port of the program: one per lane, in the storage or in a memory outside of it. With neither, they
    // are unread.
    struct Rows {
        std::string key;
        std::size_t bytes = 0;        // of a row
        View view = {};               // in the storage; without data if it has no such column
        std::byte* memory = nullptr;  // of lane 0
        bool is_later = false;        // they are for the next slot
        Slab copies = {};             // for calls with other rows than the lanes, since the first of them

        [[nodiscard]] std::uint32_t slot(const Storage& storage) const {
            return is_later ? storage.slot_after(storage.head()) : storage.head();
        }
        [[nodiscard]] void* of_lane(const Storage& storage, std::uint32_t lane) const {
            return view.data != nullptr ? row_at(view, slot(storage), lane)
                   : memory != nullptr  ? memory + lane * bytes
                                        : nullptr;
        }
    };

    explicit Actor(std::uint32_t lanes) : memories_(lanes) {}

    void advance_memories();
    Status run(const RunNumbers& numbers, std::uint64_t counter, std::uint32_t lanes);
    Status act_by_copies(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter,
                         std::span<const std::uint32_t> lanes, std::uint32_t rows);
    Status make_copies(const Storage& storage, std::uint32_t rows);
    [[nodiscard]] std::string fault(const Storage& storage, std::uint32_t lanes) const;

    std::unique_ptr<Program> program_;
    const Computed* computed_ = nullptr;
    const DeviceRing* ring_ = nullptr;  // null: it acts on the CPU
    Place place_;
    LaneShare share_;
    // If the process has a share of the run's lanes: the number of rows of a call, and the row of the first lane. Calls
    // have as many rows as for all lanes, so that sums are added in the same order. 0: one row per lane.
    std::uint32_t rows_ = 0;
    std::uint32_t from_ = 0;
    std::vector<std::uint32_t> every_lane_;
    std::vector<Rows> inputs_;
    std::vector<Rows> outputs_;
    std::vector<const void*> input_rows_;  // of the present call
    std::vector<void*> output_rows_;
    Memories memories_;
    std::vector<std::pair<std::size_t, std::size_t>> turns_;  // the input and the output of a memory that is read
    std::vector<double> metrics_;
    std::vector<double> controls_;
    ActionCheck check_;
    const Watch* watch_ = nullptr;
};

}  // namespace tenon
