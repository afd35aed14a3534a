// SPDX-License-Identifier: Apache-2.0
// The training loop: collects a round of frames, then learns from a buffer or only from these frames. It does not
// depend on files, terminals or clocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/profile/profile.hpp"
#include "compute/exec/program.hpp"
#include "compute/parameters/network.hpp"
#include "experience/replay/keeper.hpp"
#include "train/collect/async/async_steps.hpp"
#include "train/collect/frame_source.hpp"
#include "train/collect/parameter_noise.hpp"
#include "train/collect/training_steps.hpp"
#include "train/learn/learning_unit.hpp"
#include "train/loop/hooks.hpp"
#include "train/plan/wiring.hpp"
#include "train/progress/batch_extent.hpp"
#include "train/progress/run_progress.hpp"

namespace tenon {

class Trainer {
public:
    // Allocates everything and begins episodes. The executor may be null if nothing learns or acts by a graph.
    // `running` is that of the wiring, and is taken.
    static Result<std::unique_ptr<Trainer>> make(const Wiring& wiring, Running& running, Host& host,
                                                 Executor* executor);

    // Collects a batch of frames and makes the updates that are due after it; in a run that only learns, makes one
    // update. If it is asked to stop, it returns in the middle of the round. The next call continues there, even in a
    // trainer restored from a checkpoint, and the result is the same as without the interruption.
    Status round(StopAsked stop = never_stops);
    [[nodiscard]] bool in_round() const { return progress_.round.begun; }

    // The first half of a round: collects the frames of a batch.
    Status collect_batch();

    // One step of all lanes, for a caller's own loop.
    Status collect();
    // The rows that an update of this unit would use now, after collecting as many frames as one minibatch needs.
    Result<ChosenRows> collect_minibatch(LearningUnit& unit);
    // In the order in which they learn: one per objective.
    [[nodiscard]] std::span<LearningUnit> units() { return units_; }
    [[nodiscard]] std::span<const LearningUnit> units() const { return units_; }

    [[nodiscard]] const RunProgress& progress() const { return progress_; }
    [[nodiscard]] RunProgress& progress() { return progress_; }
    [[nodiscard]] const Standing& standing() const { return progress_.standing; }
    [[nodiscard]] Standing& standing() { return progress_.standing; }
    [[nodiscard]] std::int64_t position() const { return position_of(wiring_.manifest, progress_.standing); }
    // Problems since the last call that do not end the run: parked lanes, an env that violates its specs, a skipped
    // minibatch.
    Problems take_warnings() { return std::exchange(warnings_, {}); }

    // With the other shards of the run; null: there are none.
    [[nodiscard]] Exchange* exchange() const { return exchange_; }
    [[nodiscard]] const Wiring& wiring() const { return wiring_; }
    [[nodiscard]] Learner& learner() { return learner_; }
    [[nodiscard]] FrameSource& source() { return *source_; }
    [[nodiscard]] const FrameSource& source() const { return *source_; }
    // What keeps rows apart from the source's storage; null if that is the buffer.
    [[nodiscard]] Keeper* keeper() { return keeper_ ? &*keeper_ : nullptr; }
    [[nodiscard]] ParameterNoise* parameter_noise() { return noise_ ? &*noise_ : nullptr; }
    [[nodiscard]] const ParameterNoise* parameter_noise() const { return noise_ ? &*noise_ : nullptr; }
    // The batch that is being collected or learnt from; null if the run uses a buffer.
    [[nodiscard]] BatchExtent* extent() { return extent_ ? &*extent_ : nullptr; }
    // Whether another thread collects a round's frames while the units learn.
    [[nodiscard]] bool collects_async() const { return async_ != nullptr; }
    // Adds the thread that collects, if there is one.
    void add_threads(std::vector<std::thread::native_handle_type>& to) {
        if (async_ != nullptr) {
            to.push_back(async_->handle());
        }
    }
    // Restarts the present batch, in a round that is collecting one. The collected frames count but are not learnt
    // from.
    void drop_batch();
    // Calls `watch` when the frames of a round are collected, with the steps of the round, which are the newest in the
    // storage. A round that was left and is continued is seen as a whole.
    using CollectedWatch = std::function<Status(std::int64_t steps)>;
    void watch_collected(CollectedWatch watch) { collected_ = std::move(watch); }
    [[nodiscard]] Hooks& hooks() { return hooks_; }
    [[nodiscard]] const Hooks& hooks() const { return hooks_; }
    // The live values with the present values of the schedules.
    [[nodiscard]] RunNumbers numbers() const;
    void move_schedules() { tenon::move_schedules(wiring_.live, progress_.standing, live_); }
    [[nodiscard]] const std::vector<double>& live() const { return live_; }

private:
    Trainer(const Wiring& wiring) : wiring_(wiring), live_(wiring.live.values) {}

    Status build(Running& running, Host& host, Executor* executor);
    Status round_in_turn();
    Status async_round();
    Result<bool> async_part();
    void begin_part();
    void hand_over();
    void order_batch();
    void take_lane_warnings();
    Status collect_frames();
    Status collect_steps();
    Status collect_extent();
    Status collect_one();
    Status begin_batch();
    void count(std::uint32_t frames);
    Status after_collecting(std::int64_t steps);
    Status take_frames(Running& running);
    Status build_source(Running& running, Host& host, Executor* executor);

    Status build_units(Executor& executor);
    Result<bool> learn(std::int64_t until = kAllUpdates);
    void warn(Problem warning);

    const Wiring& wiring_;
    std::vector<double> live_;  // the present live values
    Learner learner_;
    std::optional<ParameterNoise> noise_;
    std::unique_ptr<FrameSource> source_;
    std::optional<TrainingSteps> steps_;
    std::optional<Keeper> keeper_;
    std::optional<BatchExtent> extent_;         // only if whole batches are learnt from
    std::vector<std::optional<Storage>> held_;  // this and the next by buffer: frames that are not collected
    std::vector<Storage*> storages_;            // for the buffer that collects, that of its keeper or of the frames
    std::vector<LearningUnit> units_;
    Hooks hooks_;
    CollectedWatch collected_;         // empty: nobody watches
    bool same_parameters_ = false;     // unchanged since the previous step of the same batch
    std::vector<double> acting_live_;  // live values of a batch that workers collect
    RunProgress progress_;
    StopAsked stop_ = never_stops;
    Profile* profile_ = nullptr;
    Exchange* exchange_ = nullptr;  // as Host::exchange
    std::size_t waiting_ = 0;       // a span of the profile
    Problems warnings_;
    std::unique_ptr<AsyncSteps> async_;  // the thread that collects; null: the rounds are in turn
};

}  // namespace tenon
