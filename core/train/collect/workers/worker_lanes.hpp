// SPDX-License-Identifier: Apache-2.0
// Lanes that step in worker processes, each with a share of them and with the policy that acts in them
// (collector.kind = "processes"). The trainer's side: it orders steps and copies their frames to its storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/slab.hpp"
#include "base/error/result.hpp"
#include "compute/exec/call.hpp"
#include "experience/env/episodes.hpp"
#include "experience/env/lanes.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/process/process.hpp"
#include "plugins/process/shared_memory.hpp"
#include "train/checkpoint/bytes.hpp"
#include "train/collect/workers/worker_desk.hpp"

namespace tenon {

class WorkerLanes {
public:
    struct Plan {
        std::string manifest = {};  // of every worker
        std::uint32_t workers = 0;
        std::vector<const Slab*> weights = {};  // what acts; they must outlive the lanes
        std::size_t live = 0;                   // live values
        std::uint32_t steps = 0;                // of a round
        bool ahead = false;                     // rounds are batches, each collected before the trainer takes it
        std::uint64_t seed = 0;                 // of the run
        std::uint32_t restarts = 0;             // that are possible in all
        std::string_view unwritten = {};        // a stored column that the workers do not write
        std::vector<std::vector<std::string>> via =
            {};  // commands that start workers on other machines, in turn; none: here
    };
    // Starts the processes for the lanes of this storage.
    static Result<std::unique_ptr<WorkerLanes>> make(Plan plan, const Storage& storage);

    WorkerLanes(const WorkerLanes&) = delete;
    WorkerLanes& operator=(const WorkerLanes&) = delete;
    ~WorkerLanes();  // ends them

    // Begins episodes in all lanes, at the storage's head; seeds: one per lane. No ordered steps may be left.
    Status begin(Storage& storage, const std::uint64_t* seeds);

    // Lets the workers begin so many steps with the present weights, unless they still have steps to make. `counter`:
    // of the first of them.
    void order(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter, std::int64_t steps);

    // Waits until all have made the next one of these steps, or, if there is none, orders it. The storage then has its
    // frames, and the head advances.
    Status step(Storage& storage, const RunNumbers& numbers, std::uint64_t counter, Episodes& episodes);

    // The workers make no more of the ordered steps than those that one of them has begun. Returns how many these are;
    // `step` takes them. In between, the lanes are in one state.
    std::int64_t halt(Storage& storage);

    // The state of the lanes and of what acts in them, while no ordered steps are left, or of a batch that has been
    // ordered and not been touched: then before it. A worker that ends meanwhile is
    // started again, so save comes before what the storage and the episodes save. load comes after what they load, and
    // replaces begin.
    Status save(ByteWriter& out, Storage& storage, Episodes& episodes);
    Status load(ByteReader& in, const Storage& storage);

    // Merges what transforms have seen in the lanes of all workers, for each of them and for these lanes, which never
    // step. They must outlive this object. Without the call, transforms learn nothing.
    void learn_in(Lanes& lanes) { learning_ = &lanes; }

    // What workers have warned of, and those that were started again, since the last call.
    Problems take_warnings() { return std::exchange(warnings_, {}); }

private:
    static constexpr double kGlance = 0.01;  // seconds after which the end of a process is detected

    struct Worker {
        std::uint32_t first = 0;  // lane
        SharedMemory memory = {};
        WorkerParts parts = {};
        std::unique_ptr<Storage> ring = {};
        std::uint32_t number = 0;  // of its latest order
        std::uint32_t taken = 0;   // steps since it was started
        WorkerProcess process = {};
        std::string how = {};      // it has ended
        bool unreachable = false;  // it has ended because the way to its machine has
        std::size_t starts = 0;    // how many machines it has had before
        bool is_taught = false;    // its transforms have learnt what those of the others have

        // How it has ended; nothing while it is running.
        [[nodiscard]] std::optional<std::string> ended();
        [[nodiscard]] WorkerDesk& desk() const { return *reinterpret_cast<WorkerDesk*>(memory.data()); }
        [[nodiscard]] std::uint32_t slot() const { return taken % ring->slots(); }
    };
    struct Copied {
        std::size_t column = 0;  // its index
        std::size_t bytes = 0;   // of a row
        bool is_flag = false;
    };

    WorkerLanes(Plan plan, const Storage& storage);
    Status start(std::size_t worker);
    void list_areas(const Worker& worker) const;
    static void give(Worker& worker, LaneOrder order);
    void order_begin(std::size_t worker, const std::uint64_t* seeds);
    void order_steps(std::size_t worker, std::int64_t made = 0);
    [[nodiscard]] std::int64_t steps_to_join() const;
    Status join();
    void teach(std::size_t worker);
    std::optional<std::string> await_answer(std::size_t worker);
    Status await_idle(std::size_t worker);
    Status idle(std::size_t worker, const std::optional<std::string>& how) const;
    Status await_step(std::size_t worker, Storage& storage, Episodes& episodes);
    Status go_on_without(std::size_t worker, const std::string& how, Storage& storage, Episodes& episodes);
    [[nodiscard]] Problem failure(std::size_t worker) const;
    [[nodiscard]] std::string name(std::size_t worker) const;
    void take(std::size_t worker, Storage& storage);
    std::optional<std::string> fetch(std::size_t worker, LaneOrder order, std::vector<std::byte>& to);
    std::optional<std::string> feed(std::size_t worker, std::span<const std::byte> bytes, LaneOrder order);
    void begin_lost(const Worker& worker, Storage& storage);
    void copy_head(const Worker& worker, Storage& storage) const;
    void show_head(const Worker& worker, const Storage& storage) const;
    void copy_ends(const Worker& worker, std::uint32_t lane, Storage& storage, std::uint32_t to,
                   std::uint32_t from) const;

    Plan plan_;
    std::vector<StorageColumn> columns_;  // of a ring
    std::vector<Copied> copied_;
    WorkerSizes sizes_;
    std::vector<Worker> workers_;
    std::vector<double> live_;
    std::vector<double> rewards_;     // [lane] of a step
    std::vector<std::uint8_t> lost_;  // [lane] in it
    std::uint32_t restarted_ = 0;
    // The order that the workers carry out, from the step on that is taken next.
    struct Ordered {
        std::int64_t steps = 0;
        std::int64_t counter = 0;
        std::int64_t frames = 0;
        std::int64_t updates = 0;
        std::int64_t running = 0;
    };
    Ordered ordered_;
    std::int64_t rest_ = 0;      // steps that the order had before it was interrupted for a checkpoint
    bool is_untouched_ = false;  // no step of the order has been taken
    Lanes* learning_ = nullptr;
    Problems warnings_;
};

}  // namespace tenon
