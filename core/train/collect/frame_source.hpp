// SPDX-License-Identifier: Apache-2.0
// Where frames come from: lanes of an env that step, what acts in them, and the storage that they write to. Training,
// evaluations, `tenon eval`, `play` and `record`, sessions and worker processes all collect by this interface; they
// differ in the kind of source (make_source.hpp) and in what acts.
//
//     reset                            new episodes in all lanes
//     order, await, step, halt         one step of the lanes after another
//     begin_batch ... finish_batch     whole batches: what they consist of in each lane
//     settle, count_episodes           steps that are made later than they are asked for
//     experience, on_device            what has been collected
//     save, load                       checkpoints
//
// One thread at a time uses a source; which one may change between two calls.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experience/replay/device_ring.hpp"
#include "train/checkpoint/bytes.hpp"
#include "train/collect/lane_site.hpp"
#include "train/progress/batch_extent.hpp"
#include "train/progress/run_progress.hpp"

namespace tenon {

class FrameSource {
public:
    virtual ~FrameSource() = default;
    FrameSource(const FrameSource&) = delete;
    FrameSource& operator=(const FrameSource&) = delete;

    // Sets what acts. The executor may be null for options without a program. The learner must outlive the source;
    // every step acts with its present parameters.
    virtual Status act_by(ActingOptions options, Executor* executor, Learner& learner, Pool& pool);

    // Begins new episodes in all lanes; seeds: one per lane, or null to continue the generators.
    virtual Status reset(const std::uint64_t* seeds) = 0;

    // Lanes that step in this process: begins new episodes in those whose byte in mask is 1.
    Status begin_in(const std::uint8_t* mask);

    // Says that so many steps follow, so that they can be made early, with these numbers.
    virtual void order(const Acting& /*first*/, std::int64_t /*steps*/) {}
    // Waits until lanes can act, and returns the number of frames that have been completed by then. Asked to stop, it
    // returns earlier.
    virtual Result<std::uint32_t> await(StopAsked /*stop*/) { return 0U; }
    // The lanes that the next step acts in, in ascending order; none if it was asked to stop, or a batch is complete.
    [[nodiscard]] virtual std::span<const std::uint32_t> ready() const { return site_.every_lane; }
    // Acts in these lanes, steps them and counts their episodes. Returns the number of frames that are completed by it.
    virtual Result<std::uint32_t> step(const Acting& now) = 0;
    // Before ordered steps are left: how many of them have to be taken yet, so that all lanes are in one state.
    virtual std::int64_t halt() { return 0; }

    // Whether a round ends by its frames, because lanes step independently; otherwise by the steps of all lanes
    // together.
    [[nodiscard]] virtual bool counts_frames() const { return false; }
    // Lanes that have been parked, and processes that were started again, since the last call.
    virtual Problems take_warnings();

    // Begins a batch of frames; `anew`: with new episodes in all lanes.
    virtual Status begin_batch(bool anew) { return anew ? reset(nullptr) : Status(); }
    // Tells the extent of the newest step.
    virtual void record(BatchExtent& extent) const { extent.record(*site_.storage); }
    [[nodiscard]] virtual bool is_complete(const BatchExtent& extent) const { return extent.complete(); }
    virtual void finish_batch(BatchExtent& /*extent*/) {}
    // As Storage::rewind.
    virtual Status rewind();

    // Steps on a device are only enqueued. settle waits for the steps since the last time; count_episodes counts their
    // episodes, which only the host can do. Call it before anybody reads them, or how steps have ended.
    virtual Status settle() { return {}; }
    virtual void count_episodes() {}
    // Copies stored rows from the device. Call it before the host reads them.
    virtual Status fetch_to_host() { return {}; }
    // Call it after the host has changed stored rows.
    virtual void changed_on_host() {}
    // The columns on a device; null: they are in the host's memory.
    [[nodiscard]] virtual DeviceRing* on_device() { return nullptr; }

    // What has been collected, for those who learn from it.
    [[nodiscard]] virtual Storage& experience() { return *site_.storage; }
    [[nodiscard]] virtual const Storage& experience() const { return *site_.storage; }

    // Why a checkpoint cannot hold the state of the lanes, as a sentence that ends with what happens instead; empty if
    // it can.
    [[nodiscard]] virtual std::string why_unsaved() const;
    // Whether the state is a separate file, which is written before the rest of a checkpoint and read after it.
    [[nodiscard]] virtual bool saves_apart() const { return false; }
    // The lanes. What the storage, the episodes and the memories hold is saved by the caller.
    virtual Status save(ByteWriter& out);
    virtual Status load(ByteReader& in);

    [[nodiscard]] std::uint32_t lane_count() const { return site_.storage->lanes(); }
    [[nodiscard]] Lanes& lanes() { return site_.lanes; }
    [[nodiscard]] const Lanes& lanes() const { return site_.lanes; }
    // What the lanes write to.
    [[nodiscard]] Storage& storage() { return *site_.storage; }
    [[nodiscard]] const Storage& storage() const { return *site_.storage; }
    [[nodiscard]] Episodes& episodes() { return site_.episodes; }
    [[nodiscard]] const Episodes& episodes() const { return site_.episodes; }
    // The same with the rewards of each group of agents, if several groups have rewards and the lanes step in this
    // process; otherwise none of them ends.
    [[nodiscard]] std::vector<Episodes>& episodes_of_groups() { return site_.of_groups; }
    [[nodiscard]] const std::vector<Episodes>& episodes_of_groups() const { return site_.of_groups; }
    // Lanes that step in this process: changes actions that a policy has written. Empty: nothing does.
    void overrule(std::function<Status(const Storage&)> by) { site_.overrule = std::move(by); }
    [[nodiscard]] Actor* actor() { return site_.actor ? &*site_.actor : nullptr; }  // if a program acts
    [[nodiscard]] ProceduralPolicy* procedure() { return site_.procedure ? &site_.procedure->policy : nullptr; }
    // The memories of acting outside of the storage; null if there are none.
    [[nodiscard]] Memories* memories();
    // Whether the newest observations adhere to the env's specs, as in SpecWatch::look.
    [[nodiscard]] std::string look() { return site_.watch.look(*site_.storage, on_device() != nullptr); }

protected:
    explicit FrameSource(LaneSite site) : site_(std::move(site)) {}

    virtual Result<Actor> make_actor(const ActingOptions& options, Executor& executor, Learner& learner);

    LaneSite site_;
};

}  // namespace tenon
