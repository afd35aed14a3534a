// SPDX-License-Identifier: Apache-2.0
// What runs: lanes of an env, what acts in them, the storage that they write to, and their episodes. Training,
// evaluations, `tenon eval`, `play` and `record` differ only in the options of their collector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/profile/profile.hpp"
#include "compute/exec/program.hpp"
#include "experience/env/episodes.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/procedural.hpp"
#include "experience/env/spec_watch.hpp"
#include "experience/replay/device_ring.hpp"
#include "experience/replay/lane_rings.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/instance.hpp"
#include "train/collect/actor.hpp"
#include "train/collect/random_actions.hpp"
#include "train/collect/worker_lanes.hpp"
#include "train/progress/round.hpp"

namespace tenon {

// What acts: a program, or else a procedure, or else random actions. With none of them, the caller writes the actions
// of all lanes at the storage's head before every step.
struct ActingOptions {
    const BuiltProgram* program = nullptr;  // it must outlive the collector
    std::optional<Instance> procedure = {};
    std::int32_t mode = TN_ACT_SAMPLE;       // of the procedure
    std::string_view stream = "policy/act";  // of the procedure's random numbers
    bool random = false;                     // beside the others: for steps that ask for it
    std::uint64_t seed = 0;
    Profile* profile = nullptr;  // of acting and of the lanes' steps; null: they are not measured
    // The lanes are on the executor's device: columns stay there, and the program acts there. The host looks at least
    // every so many steps. 0: columns are in the host's memory.
    std::uint32_t device_steps = 0;
    std::string learns = {};  // this and its place: the objective, for what it gives the buffer
    Place learns_at = {};
};

class Collector {
public:
    // Binds the lanes to the storage. What the lanes depend on must outlive the collector. Nothing acts yet.
    static Result<Collector> make(Lanes lanes, Storage storage);

    // The same of lanes that step in worker processes, with what acts in them: `like` has their specs and never steps.
    static Result<Collector> make(Lanes like, Storage storage, WorkerLanes::Plan plan);

    // The executor may be null for options without a program. The learner must outlive the collector; every step acts
    // with its present parameters.
    Status act_by(ActingOptions options, Executor* executor, Learner& learner, Pool& pool);

    // Begins new episodes in all lanes; seeds: one per lane, or null to continue the generators.
    Status reset(const std::uint64_t* seeds);

    // One step of all lanes: acts, steps the env, counts the episodes. Random numbers depend only on the counter and
    // the lane. The caller takes the lanes' warnings and notices. `randomly`: acts by the random actions; a policy that
    // remembers sees the step nevertheless.
    Status step(const RunNumbers& numbers, std::uint64_t counter, bool randomly = false);

    // The columns on a device; null: they are in the host's memory. There, a step is only enqueued. wait_for_device
    // waits for the steps since the last time; count_device_steps counts their episodes, which is for the host alone to
    // do. Call it before anybody reads them, or how steps have ended.
    [[nodiscard]] DeviceRing* ring() { return ring_.get(); }
    Status wait_for_device();
    void count_device_steps();
    // Copies stored rows from the device. Call it before the host reads them.
    Status fetch_to_host() { return ring_ != nullptr ? ring_->fetch_to_host() : Status(); }
    // Call it after the host has changed stored rows.
    void changed_on_host() {
        if (ring_ != nullptr) {
            ring_->changed_on_host();
        }
    }
    // As Storage::rewind.
    Status rewind();

    // From now on (before reset) lanes act and step as they are ready (collector_pool.cpp), in place of step: the
    // storage is a desk, and what has been collected is in the rings. `ready`: so many lanes are waited for. `batch`: a
    // lane waits for begin_batch after so many steps; 0: never.
    void pool(LaneRings rings, std::uint32_t ready, std::uint32_t batch);
    [[nodiscard]] bool pools() const { return pooled_ != nullptr; }
    // The lanes that have made their steps of a batch go on.
    void begin_batch();
    [[nodiscard]] bool batch_is_complete() const;
    // Waits until enough lanes are ready, and returns the number of steps that have ended. If it is asked to stop, it
    // returns with fewer.
    Result<std::uint32_t> await_ready(StopAsked stop);
    // The lanes that are ready, in ascending order; none if it was asked to stop, or the batch is complete.
    [[nodiscard]] std::span<const std::uint32_t> ready() const;
    // Acts in these lanes and begins their steps. Random numbers depend on the counter, and on which lanes these are.
    Status act_ready(const RunNumbers& numbers, std::uint64_t counter, bool randomly);

    // The lanes in worker processes; null: they are in this one. There, act_by is not called.
    [[nodiscard]] bool in_processes() const { return workers_ != nullptr; }
    // Lets the workers make so many steps by themselves, which `step` then takes; without workers it does nothing.
    void prefetch_steps(const RunNumbers& numbers, std::uint64_t counter, std::int64_t steps) {
        if (workers_ != nullptr) {
            workers_->order(*storage_, numbers, counter, steps);
        }
    }

    // Before such steps are left: how many have to be taken yet, so that all lanes are in one state. 0 without workers.
    std::int64_t halt() { return workers_ != nullptr ? workers_->halt(*storage_) : 0; }
    [[nodiscard]] WorkerLanes* workers() { return workers_.get(); }  // null: the lanes are in this process

    // What has been collected, for those who learn from it: the storage, or the rings of a pool.
    [[nodiscard]] Storage& experience() { return pooled_ ? pooled_->rings.storage() : *storage_; }
    [[nodiscard]] const Storage& experience() const { return pooled_ ? pooled_->rings.storage() : *storage_; }

    [[nodiscard]] std::uint32_t lane_count() const { return storage_->lanes(); }
    [[nodiscard]] std::uint32_t running() const;  // lanes that are not parked
    // Lanes that have been parked, and processes that were started again, since the last call.
    Problems take_warnings();

    [[nodiscard]] Lanes& lanes() { return lanes_; }
    [[nodiscard]] const Lanes& lanes() const { return lanes_; }
    [[nodiscard]] Storage& storage() { return *storage_; }
    [[nodiscard]] const Storage& storage() const { return *storage_; }
    [[nodiscard]] Episodes& episodes() { return episodes_; }
    [[nodiscard]] const Episodes& episodes() const { return episodes_; }
    [[nodiscard]] Actor* actor() { return actor_ ? &*actor_ : nullptr; }  // if a program acts
    [[nodiscard]] ProceduralPolicy* procedure() { return procedure_ ? &procedure_->policy : nullptr; }
    // The memories of acting outside of the storage; null if there are none.
    [[nodiscard]] Memories* memories() { return actor_ && !actor_->memories().empty() ? &actor_->memories() : nullptr; }

    // Whether the newest observations adhere to the env's specs, as in SpecWatch::look.
    [[nodiscard]] std::string look() { return watch_.look(*storage_, ring_ != nullptr); }

private:
    struct Procedure {
        ProceduralPolicy policy;
        std::int32_t mode;
        tn_key key;
    };

    struct Pooled {
        LaneRings rings;
        std::uint32_t least;                       // lanes that are waited for
        std::uint32_t batch;                       // steps of a lane; 0: there are no batches
        std::vector<std::uint32_t> ready = {};     // in ascending order
        std::vector<std::uint32_t> finished = {};  // they have made their steps of the batch
        Lanes::Arrived arrived = {};
    };

    Collector(Lanes lanes, std::unique_ptr<Storage> storage);
    [[nodiscard]] bool enough_ready() const;
    void begin_pool();
    void take_arrived();
    Status act(const RunNumbers& numbers, std::uint64_t counter, bool randomly);
    Status move_to_device(std::uint32_t steps, std::shared_ptr<Device> device);
    Status step_on_device(const RunNumbers& numbers, std::uint64_t counter, bool randomly);
    Status act_on_device(const RunNumbers& numbers, std::uint64_t counter, bool randomly);
    [[nodiscard]] Status fault_of(std::span<const tn_fault> faults) const;
    std::string learns_;  // as in ActingOptions
    Place learns_at_;

    std::unique_ptr<Storage> storage_;  // on the heap, because the lanes keep its address
    Lanes lanes_;
    Episodes episodes_;
    SpecWatch watch_;
    std::unique_ptr<WorkerLanes> workers_;  // null: the lanes are in this process
    std::unique_ptr<DeviceRing> ring_;
    std::vector<double> rewards_;     // [lane] of a step on the device
    std::uint32_t uncounted_ = 0;     // newest steps of the last look there
    std::unique_ptr<Pooled> pooled_;  // null: all lanes step together
    std::optional<Actor> actor_;
    std::optional<Procedure> procedure_;
    std::optional<RandomActions> random_;
    Profile* profile_ = nullptr;
    std::size_t acting_ = 0;  // this and the next: spans of the profile
    std::size_t stepping_ = 0;
};

}  // namespace tenon
