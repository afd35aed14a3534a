// SPDX-License-Identifier: Apache-2.0
// Lanes that step in worker processes, each with a share of them and with the policy that acts in them
// (collector.kind = "processes"). The trainer's side: it orders steps and copies their frames to its storage.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/process/door.hpp"
#include "engines/process/process.hpp"
#include "engines/process/shared_memory.hpp"
#include "engines/process/stop_watch.hpp"
#include "engines/source_processes/worker_desk.hpp"
#include "experience/replay/storage.hpp"
#include "train/collect/frame_source.hpp"

namespace tenon {

class WorkersSource final : public FrameSource {
public:
    // Starts the workers. `like` has the specs of their lanes and never steps.
    static Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, const Learner& learner, Lanes like,
                                                     Storage storage);
    ~WorkersSource() override;  // ends them

    // Nothing acts here.
    Status act_by(ActingOptions /*options*/, Executor* /*executor*/, Learner& /*learner*/, Pool& /*pool*/) override {
        return {};
    }
    // No ordered steps may be left.
    Status reset(const std::uint64_t* seeds) override;
    // Lets the workers begin the steps with the present weights, unless they still have steps to make.
    void order(const Acting& first, std::int64_t steps) override;
    // Waits until all have made the next one of these steps, or, if there is none, orders it.
    Result<std::uint32_t> step(const Acting& now) override;
    // The workers make no more of the ordered steps than those that one of them has begun.
    std::int64_t halt() override;
    Problems take_warnings() override;
    [[nodiscard]] bool saves_apart() const override { return true; }
    // Saves the state of the lanes and of what acts in them. No ordered steps may be left, except those of a batch of
    // which nothing has been taken yet; the state is then the one before this batch. A worker that ends meanwhile is
    // started again, so call save before the storage and the episodes are saved. load comes after they have been
    // loaded, and replaces reset.
    Status save(ByteWriter& out) override;
    Status load(ByteReader& in) override;

private:
    struct Plan {
        std::string manifest = {};  // of every worker
        std::uint32_t workers = 0;
        std::vector<const Slab*> weights = {};  // what acts; they must outlive the lanes
        std::size_t live = 0;                   // live values
        std::uint32_t steps = 0;                // of a round
        bool prefetches = false;                // rounds are batches, each collected before the trainer takes it
        std::uint64_t seed = 0;                 // of the run
        std::uint32_t restarts = 0;             // that are possible in all
        std::chrono::seconds limit{600};        // TENON_WAIT
        std::string_view unwritten = {};        // a stored column that the workers do not write
        std::vector<std::vector<std::string>> via =
            {};                   // commands that start workers on other machines, in turn; none: here
        std::string listen = {};  // instead: where others connect that collect
    };
    static constexpr double kGlance = 0.01;  // seconds after which the end of a process is detected

    struct Worker {
        std::uint32_t first = 0;  // lane
        SharedMemory memory = {};
        WorkerParts parts = {};
        std::unique_ptr<Storage> ring = {};
        std::uint32_t number = 0;  // of its latest order
        std::uint32_t taken = 0;   // steps since it was started
        WorkerProcess process = {};
        StopWatch watch = {};
        std::chrono::milliseconds patience = std::chrono::seconds(10);  // with a stopped process
        std::string how = {};                                           // it has ended
        bool connected = false;                                         // it came to the door
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

    static Result<Plan> plan_of(const Wiring& wiring, const Learner& learner);
    WorkersSource(Plan plan, LaneSite site);
    Status start(std::size_t worker);
    Status open_door();
    Result<DoorGuest> await_guest(std::size_t worker);
    Status begin(std::size_t worker, const std::uint64_t* seeds);
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
    Status await_step(std::size_t worker);
    Status go_on_without(std::size_t worker, const std::string& how);
    [[nodiscard]] Problem failure(std::size_t worker) const;
    [[nodiscard]] std::string name(std::size_t worker) const;
    void take(std::size_t worker);
    std::optional<std::string> fetch(std::size_t worker, LaneOrder order, std::vector<std::byte>& to);
    std::optional<std::string> feed(std::size_t worker, std::span<const std::byte> bytes, LaneOrder order);
    void begin_lost(const Worker& worker);
    void copy_head(const Worker& worker) const;
    void show_head(const Worker& worker) const;
    void copy_ends(const Worker& worker, std::uint32_t lane, std::uint32_t to, std::uint32_t from) const;

    Plan plan_;
    std::unique_ptr<Door> door_;          // null: nobody connects
    std::vector<StorageColumn> columns_;  // of a ring
    std::vector<Copied> copied_;
    WorkerSizes sizes_;
    std::vector<Worker> workers_;
    std::vector<double> live_;
    std::vector<double> rewards_;     // [reward][lane] of a step
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
    bool learns_;                // transforms learn from the lanes of all workers
    Problems warnings_;
};

}  // namespace tenon
