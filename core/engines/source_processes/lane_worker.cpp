// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/lane_worker.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/data/state_bytes.hpp"
#include "base/data/state_stream.hpp"
#include "base/file/lifeline.hpp"
#include "base/log/log.hpp"
#include "config/manifest/parse.hpp"
#include "engines/process/process.hpp"
#include "engines/process/shared_memory.hpp"
#include "engines/source_processes/worker_desk.hpp"
#include "plugins/plugin/crash.hpp"
#include "train/collect/make_source.hpp"
#include "train/progress/standing.hpp"

namespace tenon {
namespace {

class LaneWorker {
public:
    explicit LaneWorker(SharedMemory memory)
        : memory_(std::move(memory)), sizes_(desk().sizes), parts_(parts_behind(memory_.data(), sizes_)) {}

    Status open(OpenLaneRun open_run) {
        set_log_level(Level::kWarning);  // the trainer has printed the rest
        TomlTable manifest = TENON_TRY(parse_toml({parts_.manifest, sizes_.manifest}, "the manifest of a worker"));
        run_ = TENON_TRY(open_run(std::move(manifest)));
        return open_lanes();
    }

    // Works until the trainer wants no more steps.
    Status work() {
        for (std::uint32_t number = 1;; ++number) {
            await_order(number);
            const auto call = static_cast<LaneOrder>(desk().call);
            if (call == LaneOrder::kEnd) {
                return {};
            }
            TENON_TRY(carry_out(call));
            announce(desk().answered, number);
        }
    }

    // Leaves a problem for the trainer, which reads it when it sees that this process has ended.
    void leave(const Problem& problem) {
        set_text(desk().sentence, problem.sentence);
        set_text(desk().help, problem.help);
        desk().fault.store(static_cast<std::int32_t>(problem.fault));
    }

private:
    WorkerDesk& desk() { return *reinterpret_cast<WorkerDesk*>(memory_.data()); }

    void await_order(std::uint32_t number) {
        constexpr double kLongWait = 3600;
        while (!await_reached(desk().order, number, kLongWait)) {
        }
    }

    // Waits until the trainer has the frames of the step that the next write would overwrite. False: no more steps are
    // wanted.
    bool await_room() {
        constexpr double kShortGlance = 0.01;
        bool room = false;
        while (!room && desk().halt.load() == 0) {
            room = await_reached(desk().taken, made_ + 3 - sizes_.slots, kShortGlance);
        }
        return room;
    }

    Status open_lanes() {
        const Wiring& w = *run_.wiring;
        live_ = w.live.values;
        std::size_t bytes = TENON_TRY(Storage::bytes_in(w.stored, sizes_.slots, sizes_.lanes));
        if (bytes != sizes_.ring || live_.size() != sizes_.live || weights() != sizes_.weights) {
            return environment_problem("the files of plugins have changed since the run was started", {},
                                       "restore them, or start the run again");
        }
        Storage storage = TENON_TRY(Storage::make_in(parts_.ring, w.stored, sizes_.slots, sizes_.lanes));
        source_ = TENON_TRY(make_source(std::move(*run_.running.lanes), std::move(storage)));
        run_.running.lanes.reset();
        source_->lanes().follow_values(live_);
        TENON_TRY(source_->lanes().merge_by_join());
        return source_->act_by({.program = &w.act, .random = true, .seed = w.seed(), .share = sizes_.share},
                               run_.executor.get(), run_.learner, run_.host->pool);
    }

    template <class F>
    void each_weights(F f) {
        for (const std::string& role : networks_of(run_.wiring->act.graph)) {
            f(run_.learner.find(role)->live);
        }
    }

    std::size_t weights() {
        std::size_t out = 0;
        each_weights([&](const Slab& slab) { out += slab.size(); });
        return out;
    }

    Status carry_out(LaneOrder order) {
        switch (order) {
            case LaneOrder::kBegin:
                return source_->reset(parts_.seeds);
            case LaneOrder::kSteps:
                return make_steps();
            case LaneOrder::kSave:
                return save();
            case LaneOrder::kSaveKept:
                state_ = kept_;
                desk().total = state_.data.size();
                return {};
            case LaneOrder::kFetch:
                fetch();
                return {};
            case LaneOrder::kFeed:
                state_.data.insert(state_.data.end(), parts_.box, parts_.box + std::min(desk().box_size, kWorkerBox));
                return {};
            case LaneOrder::kLoad:
                return load();
            case LaneOrder::kPart:
                state_ = {};
                TENON_TRY(source_->lanes().part(state_.writer()));
                desk().total = state_.data.size();
                return {};
            case LaneOrder::kJoin:
                return join();
            case LaneOrder::kTeach: {
                StateBytes learnt = std::exchange(state_, {});
                return source_->lanes().load_common(learnt.reader());
            }
            case LaneOrder::kEnd:
                break;
        }
        return {};
    }

    // Lane by lane, because another number of workers may restore them.
    Status save() {
        state_ = {};
        const Memories* const memories = source_->memories();
        const tn_writer writer = state_.writer();
        StateSink sink(writer);
        for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
            StateBytes one;
            TENON_TRY(source_->lanes().save(one.writer(), lane));
            const std::size_t memory = memories != nullptr ? memories->lane_bytes() : 0;
            one.data.resize(one.data.size() + memory);
            if (memory > 0) {
                memories->read_lane(lane, one.data.data() + one.data.size() - memory);
            }
            sink.number<std::uint64_t>(one.data.size());
            sink.bytes(one.data.data(), one.data.size());
        }
        desk().total = state_.data.size();
        return sink.status("the lanes of a worker");
    }

    void fetch() {
        const std::size_t from = std::min<std::size_t>(desk().from, state_.data.size());
        const std::size_t size = std::min(state_.data.size() - from, kWorkerBox);
        std::copy_n(state_.data.begin() + static_cast<std::ptrdiff_t>(from), size, parts_.box);
        desk().box_size = size;
        if (from + size == state_.data.size()) {
            state_ = {};  // what is fed next is something else
        }
    }

    Status load() {
        Storage& storage = source_->storage();
        for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
            if ((parts_.marks[std::size_t{storage.head()} * sizes_.lanes + lane] & kWorkerMarkParked) != 0) {
                storage.park(lane);
            }
        }
        StateBytes all = std::exchange(state_, {});
        const tn_reader reader = all.reader();
        StateSource source(reader);
        Memories* const memories = source_->memories();
        for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
            StateBytes one;
            if (!source.blob(one.data)) {
                return source.status("the lanes of a worker");
            }
            TENON_TRY(source_->lanes().load(one.reader(), lane));
            if (one.data.size() - one.at != (memories != nullptr ? memories->lane_bytes() : 0)) {
                return input_problem("the saved memories do not fit this run's policies");
            }
            if (memories != nullptr) {
                memories->write_lane(lane, one.data.data() + one.at);
            }
        }
        return {};
    }

    Status join() {
        const tn_reader reader = state_.reader();
        StateSource source(reader);
        std::vector<StateBytes> parts(source.number<std::uint64_t>());
        for (StateBytes& part : parts) {
            if (!source.blob(part.data)) {
                return source.status("what lanes have seen");
            }
        }
        state_ = {};
        return source_->lanes().join(parts);
    }

    Status make_steps() {
        const std::byte* from = parts_.weights;
        each_weights([&](const Slab& slab) {
            std::memcpy(slab.data(), from, slab.size());
            from += slab.size();
        });
        const Wiring& w = *run_.wiring;
        std::copy_n(parts_.live, sizes_.live, live_.begin());
        Standing now;
        now.steps = desk().counter;
        now.frames = desk().frames;
        now.updates = desk().updates;
        if (desk().keeps != 0 && source_->why_unsaved().empty()) {
            TENON_TRY(save());
            kept_ = std::exchange(state_, {});
        }
        const std::int64_t running = desk().running;
        const std::int64_t steps = desk().steps;
        for (std::int64_t i = 0; i < steps; ++i, ++now.steps, now.frames += running) {
            if (!await_room()) {
                return {};
            }
            const std::uint32_t slot = source_->storage().head();
            TENON_TRY(source_->step(acting_at(w, now, live_, i > 0)));
            report(slot);
            announce(desk().stepped, ++made_);
        }
        return {};
    }

    void report(std::uint32_t slot) {
        const std::size_t row = std::size_t{slot} * sizes_.lanes;
        double* rewards = parts_.rewards + row * sizes_.rewards;
        rewards = std::ranges::copy(source_->lanes().rewards(), rewards).out;
        for (std::size_t group = 0; group + 1 < sizes_.rewards; ++group) {
            rewards = std::ranges::copy(source_->lanes().rewards_of_group(group), rewards).out;
        }
        for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
            parts_.marks[row + lane] =
                static_cast<std::uint8_t>((source_->lanes().lost()[lane] != 0 ? kWorkerMarkLost : 0) |
                                          (source_->storage().parked()[lane] != 0 ? kWorkerMarkParked : 0));
        }
        std::string text;
        for (const Problem& warning : source_->take_warnings()) {
            text += (text.empty() ? "" : "\n") + warning.sentence;
        }
        WorkerNote& note = parts_.notes[slot];
        note.size = static_cast<std::uint32_t>(std::min(text.size(), note.text.size()));
        std::copy_n(text.data(), note.size, note.text.data());
    }

    SharedMemory memory_;
    WorkerSizes sizes_;
    WorkerParts parts_;
    LaneRun run_;
    std::vector<double> live_;  // the live values of the round
    std::unique_ptr<FrameSource> source_;
    std::uint32_t made_ = 0;  // steps
    StateBytes state_;        // that is being saved or restored
    StateBytes kept_;         // before the latest batch
};

}  // namespace

int serve_lanes(int descriptor, OpenLaneRun open) {
    if (!end_with_starter(kWorkerLifeline)) {
        return kUntied;
    }
    const CrashReports crashes(false);
    Result<SharedMemory> memory = SharedMemory::open(descriptor);
    if (!memory || memory->size() < sizeof(WorkerDesk)) {
        return kNoMemory;
    }
    LaneWorker worker(std::move(*memory));
    Status done = worker.open(open);
    if (done) {
        done = worker.work();
    }
    if (!done) {
        worker.leave(done.error());
        return static_cast<int>(done.error().fault);
    }
    return 0;
}

}  // namespace tenon
