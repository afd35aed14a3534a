// SPDX-License-Identifier: Apache-2.0
#include "train/loop/trainer.hpp"

#include <algorithm>
#include <utility>

#include "base/error/counted.hpp"
#include "base/random/key.hpp"
#include "compute/parameters/device_copies.hpp"
#include "compute/parameters/target.hpp"
#include "config/manifest/pace.hpp"
#include "experience/env/seeds.hpp"
#include "train/plan/initial_frames.hpp"
#include "train/plan/initial_weights.hpp"
#include "train/plan/lane_counts.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/ring_writer.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/worker_manifests.hpp"

namespace tenon {

Result<std::unique_ptr<Trainer>> Trainer::make(const Wiring& wiring, Running& running, Host& host, Executor* executor) {
    std::unique_ptr<Trainer> out(new Trainer(wiring));
    TENON_TRY(out->build(running, host, executor));
    return out;
}

Status Trainer::build(Running& running, Host& host, Executor* executor) {
    profile_ = host.profile.get();
    if (wiring_.collects_async()) {
        companion_.emplace();
        waiting_ = profile_ != nullptr ? profile_->span(Work::kLanes, "waiting for frames") : 0;
    }
    learner_ = TENON_TRY(make_learner(wiring_));
    TENON_TRY(build_collector(running, host, executor));
    hooks_ = Hooks(wiring_, live_, std::move(running.hooks), collector_->experience(), learner_);
    standing_.moved = hooks_.moved();
    if (wiring_.learns()) {
        TENON_TRY(build_units(*executor));
    }
    move_schedules();
    const tn_key key = make_key(static_cast<std::uint64_t>(wiring_.manifest.run.seed), "env");
    return collector_->reset(lane_seeds(key, collector_->lane_count()).data());
}

// The collecting buffer takes the frames of its init, every other one has them. A restored run takes them from the
// checkpoint, which has those of the collecting buffer only.
Status Trainer::take_frames(Running& running) {
    keeper_ = TENON_TRY(make_keeper(wiring_, collector_->experience()));
    held_.resize(wiring_.buffers.size());
    storages_.resize(wiring_.buffers.size());
    running.frames.resize(wiring_.buffers.size());
    for (std::size_t i = 0; i < wiring_.buffers.size(); ++i) {
        const BufferPlan& plan = wiring_.buffers[i];
        std::optional<Storage> frames = std::exchange(running.frames[i], std::nullopt);
        if (plan.collects()) {
            storages_[i] = keeper_ ? &keeper_->storage() : &collector_->experience();
            if (frames) {
                collector_->experience().take(*frames);
            }
        } else if (plan.part != nullptr) {
            Storage held = TENON_TRY(frames ? Result<Storage>(std::move(*frames)) : read_initial_frames(wiring_, plan));
            held_[i].emplace(std::move(held));
            storages_[i] = &*held_[i];
        }
    }
    return {};
}

Status Trainer::build_collector(Running& running, Host& host, Executor* executor) {
    const Manifest& manifest = wiring_.manifest;
    Result<Storage> storage = make_storage(wiring_);
    if (!storage) {
        return std::move(storage).error();
    }
    std::optional<LaneRings> rings;
    if (wiring_.pools()) {
        rings.emplace(std::move(*storage));
        storage = LaneRings::make_desk(rings->storage());
        if (!storage) {
            return std::move(storage).error();
        }
    }
    Result<Collector> collector = wiring_.collects_in_processes()
                                      ? Collector::make(std::move(*running.lanes), std::move(*storage), plan_workers())
                                      : Collector::make(std::move(*running.lanes), std::move(*storage));
    running.lanes.reset();
    if (!collector) {
        return std::move(collector).error();
    }
    collector_.emplace(std::move(*collector));
    collector_->lanes().follow_values(live_);
    if (rings) {
        collector_->pool(std::move(*rings), lanes_to_wait_for(wiring_),
                         wiring_.learns_by_batch() ? batch_steps(wiring_) : 0);
    }
    version_ = collector_->storage().find(kPolicyVersion);
    version_ = version_ != nullptr && wiring_.offers_version() ? version_ : nullptr;
    versions_.lag(wiring_.lag());
    TENON_TRY(take_frames(running));
    if (manifest.parameter_noise) {
        noise_.emplace(TENON_TRY(ParameterNoise::make(wiring_, *executor, learner_, collector_->storage())));
    }
    if (collector_->in_processes()) {
        return {};  // the workers act
    }
    ActingOptions acting{.program = wiring_.acts_by_graph() ? &wiring_.act : nullptr,
                         .procedure = std::exchange(running.procedure, std::nullopt),
                         .random = true,  // before train.start_frames
                         .seed = static_cast<std::uint64_t>(manifest.run.seed),
                         .profile = wiring_.collects_async() ? nullptr : profile_,  // it is of this thread
                         .device_steps = device_steps(executor),
                         .learns = wiring_.objectives.empty() ? "" : wiring_.objectives.front().unit.component,
                         .learns_at = wiring_.objectives.empty() ? Place() : wiring_.objectives.front().unit.place};
    return collector_->act_by(std::move(acting), executor, learner_, host.pool);
}

WorkerLanes::Plan Trainer::plan_workers() const {
    WorkerLanes::Plan out{.manifests = worker_manifests(wiring_),
                          .live = live_.size(),
                          .steps = static_cast<std::uint32_t>(steps_of_round()),
                          .seed = static_cast<std::uint64_t>(wiring_.manifest.run.seed),
                          .restarts = static_cast<std::uint32_t>(wiring_.manifest.isolation.restarts),
                          .unwritten = wiring_.offers_version() ? kPolicyVersion : std::string_view()};
    for (const std::string& role : networks_of(wiring_.act.graph)) {
        out.weights.push_back(&learner_.find(role)->behaviour);
    }
    return out;
}

// The steps of a round if its columns stay on the device; otherwise 0.
std::uint32_t Trainer::device_steps(const Executor* executor) const {
    const DeviceEnv* const lanes = collector_->lanes().on_device();
    const bool on_device =
        wiring_.columns_on_device() && executor != nullptr && lanes != nullptr && executor->device() == lanes->device();
    return on_device ? static_cast<std::uint32_t>(steps_of_round()) : 0;
}

Status Trainer::round(StopAsked stop) {
    stop_ = stop;
    if (!round_.begun) {
        const bool acts_on_device = collector_->ring() != nullptr;
        TENON_TRY(acts_on_device ? Status() : fetch_to_host(learner_, kLiveSlabs));
        round_ = {.begun = true, .collected = only_learns(wiring_.manifest)};
        versions_.behind = 0;
        if (!round_.collected) {
            hand_over();
        }
        if (noise_ && !round_.collected) {
            noise_->begin_round(standing_.frames, numbers());
        }
    }
    const bool first = standing_.steps < steps_of_round();  // there is nothing to learn from yet
    Status done = collects_async() && !first ? async_round() : round_in_turn();
    if (done && !round_.begun) {
        collector_->experience().mark();
    }
    return done;
}

Status Trainer::round_in_turn() {
    if (!round_.collected) {
        if (Status done = collect_frames(); !done) {
            done.error().sentence += at_frame(standing_);
            return done;
        }
        if (!round_.collected) {
            return {};
        }
        versions_.behind = standing_.updates - acting_version(standing_);
        TENON_TRY(after_collecting(round_.steps));
    }
    if (collects_async()) {
        round_ = {};  // the first round: its frames are those that the second one learns from
        return {};
    }
    const Result<bool> ended = learn();
    collector_->count_device_steps();
    if (!ended) {
        return ended.error();
    }
    // rows that could not be chosen must not have been learnt from when a checkpoint is written
    TENON_TRY(collector_->ring() != nullptr ? collector_->wait_for_device() : Status());
    if (*ended) {
        TENON_TRY(extent_ ? collector_->rewind() : Status());
        round_ = {};
    }
    return {};
}

// What is learnt acts from now on, or after the rounds by which acting lags.
void Trainer::hand_over() {
    std::ranges::for_each(learner_.networks, advance_behaviour);
    versions_.advance(standing_.updates);
}

std::int64_t Trainer::acting_version(const Standing& now) const {
    return wiring_.acts_by_version() ? versions_.acting() : now.updates;
}

std::int64_t Trainer::steps_of_round() const {
    return wiring_.manifest.train.batch / wiring_.manifest.env.lanes;
}

Status Trainer::build_units(Executor& executor) {
    const TrainTable& train = wiring_.manifest.train;
    if (wiring_.learns_by_batch()) {
        extent_.emplace(collector_->experience().lanes(), batch_steps(wiring_),
                        train.episodes.value_or(0) / wiring_.manifest.env.lanes);
    }
    const LearningUnit::Site site{
        .wiring = wiring_,
        .standing = standing_,
        .live = live_,
        .storage = collector_->experience(),
        .storages = storages_,
        .extent = extent_ ? &*extent_ : nullptr,
        .warnings = warnings_,
        .async = collects_async(),
        .profile = profile_,
        .ring = collector_->ring(),
        .meanwhile = extent_ ? [this] { collector_->count_device_steps(); } : std::function<void()>(),
        .updated = hooks_.updated(*this)};
    for (const ObjectivePlan& plan : wiring_.objectives) {
        units_.push_back(TENON_TRY(LearningUnit::make(plan, site, executor, learner_)));
    }
    return {};
}

// Every unit in its turn. False: it was asked to stop.
Result<bool> Trainer::learn(std::int64_t until) {
    for (; round_.unit < units_.size(); ++round_.unit) {
        Result<bool> ended = units_[round_.unit].learn(stop_, until);
        if (!ended || !*ended) {
            return ended;
        }
    }
    return true;
}

Result<ChosenRows> Trainer::collect_minibatch(LearningUnit& unit) {
    const Manifest& manifest = wiring_.manifest;
    Status done = unit.samples() ? Status() : collect_batch();
    const std::int64_t frames = unit.samples() ? unit.plan().train.minibatch + manifest.env.lanes : 0;
    for (const std::int64_t until = standing_.frames + frames; standing_.frames < until && done;) {
        done = collect();
        if (keeper_) {
            keeper_->take(collector_->storage());
        }
    }
    if (!done) {
        return std::move(done).error();
    }
    return unit.next_minibatch();
}

Status Trainer::after_collecting(std::int64_t steps) {
    if (keeper_) {
        keeper_->take(collector_->storage());
    }
    if (noise_) {
        TENON_TRY(noise_->end_round(collector_->storage(), standing_.frames, numbers()));
    }
    if (const std::string lie = collector_->look(); !lie.empty()) {
        warn(plugin_problem(collector_->lanes().name() + ": " + lie, wiring_.parts.training.env.info.place));
    }
    TENON_TRY(collected_ ? collected_(steps) : Status());
    return hooks_.call(TN_HOOK_COLLECTED, *this);
}

Status Trainer::collect_batch() {
    round_ = {.begun = true};
    stop_ = never_stops;
    Status done = collect_frames();
    collector_->count_device_steps();
    round_ = {};
    return done;
}

Status Trainer::collect_frames() {
    const bool pools = collector_->pools();
    Status done = extent_ ? (pools ? collect_extent_as_ready() : collect_extent())
                          : (pools ? collect_as_ready() : collect_steps());
    same_parameters_ = false;
    done = done && collector_->ring() != nullptr ? collector_->wait_for_device() : done;
    if (!extent_ || !round_.collected) {  // otherwise that is done while the device learns from the batch
        collector_->count_device_steps();
    }
    return done;
}

Status Trainer::collect_steps() {
    const std::int64_t steps = steps_of_round();
    collector_->prefetch_steps(numbers(), static_cast<std::uint64_t>(standing_.steps), steps - round_.steps);
    std::int64_t until = steps;
    bool stops = false;
    for (; round_.steps < until; ++round_.steps) {
        if (!stops && stop_()) {
            stops = true;
            until = round_.steps + collector_->halt();
            if (round_.steps == until) {
                return {};
            }
        }
        TENON_TRY(collect());
        same_parameters_ = true;
    }
    round_.collected = round_.steps == steps;
    return {};
}

Status Trainer::collect_extent() {
    const Storage& storage = collector_->storage();
    while (round_.steps == 0 || !extent_->complete()) {
        if (stop_()) {
            return {};
        }
        TENON_TRY(round_.steps == 0 ? begin_batch() : Status());
        if (storage.head() + 1 == storage.slots()) {
            return plugin_problem(collector_->lanes().name() + " says that an episode has " +
                                      counted(wiring_.episode_limit, "step") + " at most, but one has more",
                                  wiring_.parts.training.env.info.place);
        }
        TENON_TRY(collect());
        ++round_.steps;
        same_parameters_ = true;
    }
    round_.collected = true;
    return {};
}

void Trainer::drop_batch() {
    round_.steps = 0;
    collector_->experience().align();
    collector_->experience().rewind();
    collector_->changed_on_host();
}

Status Trainer::begin_batch() {
    extent_->begin();
    if (!extent_->by_episodes() || standing_.steps == 0) {
        return {};
    }
    return collector_->reset(nullptr);
}

Status Trainer::collect() {
    if (collector_->pools()) {
        return step_ready();
    }
    TENON_TRY(step(standing_, same_parameters_));
    take_lane_warnings();
    if (extent_) {
        extent_->record(collector_->storage());
    }
    ++standing_.steps;
    standing_.frames += collector_->running();
    move_schedules();
    return {};
}

Status Trainer::step(const Standing& now, bool same_parameters) {
    if (version_ != nullptr) {
        const Storage& storage = collector_->storage();
        std::fill_n(static_cast<std::int64_t*>(row_at(version_->view, storage.head(), 0)), storage.lanes(),
                    acting_version(now));
    }
    return collector_->step(acting_numbers(now, same_parameters), static_cast<std::uint64_t>(now.steps),
                            acts_randomly(now));
}

RunNumbers Trainer::acting_numbers(const Standing& now, bool same_parameters) const {
    RunNumbers numbers = numbers_at(wiring_, now, live_);
    numbers.same_parameters = same_parameters;
    return numbers;
}

bool Trainer::acts_randomly(const Standing& now) const {
    return !units_.empty() && now.frames < wiring_.manifest.train.start_frames;
}

void Trainer::take_lane_warnings() {
    for (Problem& warning : collector_->take_warnings()) {
        warn(std::move(warning));
    }
}

void Trainer::warn(Problem warning) {
    warning.sentence += at_frame(standing_);
    warnings_.push_back(std::move(warning));
}

RunNumbers Trainer::numbers() const {
    return acting_numbers(standing_, same_parameters_);
}

}  // namespace tenon
