// SPDX-License-Identifier: Apache-2.0
#include "train/loop/trainer.hpp"

#include <algorithm>

#include "base/error/listed.hpp"
#include "base/random/key.hpp"
#include "compute/parameters/device_copies.hpp"
#include "compute/parameters/target.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/shards.hpp"
#include "experience/env/seeds.hpp"
#include "experience/replay/align.hpp"
#include "experience/replay/extend.hpp"
#include "train/collect/env_copies.hpp"
#include "train/collect/lane_site.hpp"
#include "train/collect/make_source.hpp"
#include "train/plan/env_lanes.hpp"
#include "train/plan/initial_weights.hpp"
#include "train/plan/named_frames.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

// Every shard makes as many frames and minibatches as the others, so none goes on without a lane.
Status check_all_run(FrameSource& source, const Standing& standing) {
    if (source.lanes().running() == source.lane_count()) {
        return {};
    }
    Problems said = source.take_warnings();
    Problem out = said.empty() ? environment_problem("a lane cannot go on") : std::move(said.front());
    out.sentence += at_frame(standing);
    out.help = "shards need all of their lanes; a run of one shard goes on without those that fail";
    return out;
}

}  // namespace

Result<std::unique_ptr<Trainer>> Trainer::make(const Wiring& wiring, Running& running, Host& host, Executor* executor) {
    std::unique_ptr<Trainer> out(new Trainer(wiring));
    TENON_TRY(out->build(running, host, executor));
    return out;
}

Status Trainer::build(Running& running, Host& host, Executor* executor) {
    profile_ = host.profile.get();
    exchange_ = host.exchange;
    learner_ = TENON_TRY(make_learner(wiring_));
    TENON_TRY(build_source(running, host, executor));
    if (shard_of(wiring_.manifest) == 0) {  // which calls those of the run
        hooks_ = Hooks(wiring_, live_, std::move(running.hooks), source_->experience(), learner_);
    }
    progress_.standing.moved = hooks_.moved();
    if (wiring_.learns()) {
        TENON_TRY(build_units(*executor));
    }
    move_schedules();
    if (exchange_ != nullptr) {
        source_->lanes().need_all();
        // shards tell each other after each round what transforms have seen (shards.cpp)
        TENON_TRY(source_->lanes().merge_by_join());
    }
    const tn_key key = make_key(wiring_.seed(), "env");
    return source_->reset(lane_seeds(key, source_->lane_count(), 0, first_lane(wiring_.manifest)).data());
}

// The collecting buffer takes the frames of its init, every other one has them. A restored run takes them from the
// checkpoint, which has those of the collecting buffer only.
Status Trainer::take_frames(Running& running) {
    keeper_ = TENON_TRY(make_keeper(wiring_, source_->experience()));
    held_.resize(wiring_.buffers.size());
    storages_.resize(wiring_.buffers.size());
    running.frames.resize(wiring_.buffers.size());
    for (std::size_t i = 0; i < wiring_.buffers.size(); ++i) {
        const BufferPlan& plan = wiring_.buffers[i];
        std::optional<Storage> frames = std::exchange(running.frames[i], std::nullopt);
        if (plan.collects()) {
            storages_[i] = keeper_ ? &keeper_->storage() : &source_->experience();
            if (frames) {
                start_with(source_->experience(), *frames);
            }
        } else if (plan.part != nullptr) {
            if (!frames) {
                TransformedFrames read = TENON_TRY(read_initial_frames(wiring_, plan));
                frames.emplace(std::move(read.storage));
            }
            held_[i] = std::move(frames);
            storages_[i] = &*held_[i];
        }
    }
    return {};
}

Status Trainer::build_source(Running& running, Host& host, Executor* executor) {
    const Manifest& manifest = wiring_.manifest;
    Storage storage = TENON_TRY(make_storage(wiring_));
    source_ =
        TENON_TRY(make_training_source(wiring_, std::move(*running.lanes), std::move(storage), learner_, executor));
    running.lanes.reset();
    source_->lanes().follow_values(live_);
    steps_.emplace(wiring_, live_, progress_.versions, *source_);
    if (wiring_.collects_async()) {
        async_ = std::make_unique<AsyncSteps>(*source_, *steps_);
        waiting_ = profile_ != nullptr ? profile_->span(Work::kLanes, "waiting for frames") : 0;
    }
    progress_.versions.lag(wiring_.lag());
    TENON_TRY(take_frames(running));
    if (manifest.parameter_noise) {
        noise_.emplace(TENON_TRY(ParameterNoise::make(wiring_, *executor, learner_, source_->storage())));
    }
    if (running.procedure && steps_copies(*wiring_.procedure)) {
        const EnvParts& parts = wiring_.parts.training;
        Lanes copies = TENON_TRY(make_lanes(parts, wiring_.live, training_lanes(parts, source_->lane_count()),
                                            static_cast<std::uint64_t>(manifest.run.seed), "copies/", host.pool));
        running.procedure = TENON_TRY(
            with_copies(std::move(*running.procedure), std::move(copies), *source_, wiring_, executor, learner_));
    }
    ActingOptions acting{.program = wiring_.acts_by_graph() ? &wiring_.act : nullptr,
                         .procedure = std::exchange(running.procedure, std::nullopt),
                         .random = true,  // before train.start_frames
                         .seed = static_cast<std::uint64_t>(manifest.run.seed),
                         .share = {.first = first_lane(manifest),
                                   .all = static_cast<std::uint32_t>(manifest.env.lanes * sharers(manifest))},
                         .profile = wiring_.collects_async() ? nullptr : profile_};  // it is of this thread
    return source_->act_by(std::move(acting), executor, learner_, host.pool);
}

Status Trainer::round(StopAsked stop) {
    stop_ = stop;
    if (!progress_.round.begun) {
        const bool acts_on_device = source_->on_device() != nullptr;
        TENON_TRY(acts_on_device ? Status() : fetch_to_host(learner_, kLiveSlabs));
        progress_.round = {.begun = true, .collected = only_learns(wiring_.manifest)};
        progress_.versions.behind = 0;
        if (!progress_.round.collected && !(wiring_.prefetches_batches() && progress_.standing.steps > 0)) {
            hand_over();
        }
        if (noise_ && !progress_.round.collected) {
            noise_->begin_round(progress_.standing.frames, numbers());
        }
    }
    const bool first =
        progress_.standing.steps < steps_of_round(wiring_.manifest);  // there is nothing to learn from yet
    Status done = collects_async() && !first ? async_round() : round_in_turn();
    if (done && !progress_.round.begun) {
        source_->experience().mark();
    }
    return done;
}

Status Trainer::round_in_turn() {
    if (!progress_.round.collected) {
        if (Status done = collect_frames(); !done) {
            done.error().sentence += at_frame(progress_.standing);
            return done;
        }
        if (!progress_.round.collected) {
            return {};
        }
        progress_.versions.behind = progress_.standing.updates - steps_->acting_version(progress_.standing);
        TENON_TRY(after_collecting(progress_.round.steps));
        if (wiring_.prefetches_batches()) {
            hand_over();
        }
    }
    if (wiring_.prefetches_batches()) {
        order_batch();
    }
    if (collects_async()) {
        progress_.round = {};  // the first round: its frames are those that the second one learns from
        return {};
    }
    const Result<bool> ended = learn();
    source_->count_episodes();
    if (!ended) {
        return ended.error();
    }
    // rows that could not be chosen must not have been learnt from when a checkpoint is written
    TENON_TRY(source_->settle());
    if (*ended) {
        TENON_TRY(extent_ ? source_->rewind() : Status());
        progress_.round = {};
    }
    return {};
}

// What is learnt acts from now on, or after the rounds by which acting lags.
void Trainer::hand_over() {
    std::ranges::for_each(learner_.networks, advance_behaviour);
    progress_.versions.advance(progress_.standing.updates);
}

// Orders the rest of the present batch from the workers, or the next batch as soon as this one is complete, unless they
// are collecting it. The order has the numbers with which the batch began, so they do not depend on where a run was
// interrupted.
void Trainer::order_batch() {
    const RoundPosition& round = progress_.round;
    const std::int64_t made = round.collected ? 0 : round.steps;
    Standing now = progress_.standing;
    now.updates = progress_.versions.acting();
    Standing first = now;
    first.steps -= made;
    first.frames -= round.collected ? 0 : round.frames;
    acting_live_ = live_;
    tenon::move_schedules(wiring_.live, first, acting_live_);
    source_->order(acting_at(wiring_, now, acting_live_, false), steps_of_round(wiring_.manifest) - made);
}

Status Trainer::build_units(Executor& executor) {
    const TrainTable& train = wiring_.manifest.train;
    if (wiring_.learns_by_batch()) {
        extent_.emplace(source_->experience().lanes(), batch_steps(wiring_),
                        train.episodes.value_or(0) / wiring_.manifest.env.lanes);
    }
    const LearningUnit::Site site{
        .wiring = wiring_,
        .standing = progress_.standing,
        .live = live_,
        .storage = source_->experience(),
        .storages = storages_,
        .extent = extent_ ? &*extent_ : nullptr,
        .warnings = warnings_,
        .async = collects_async(),
        .profile = profile_,
        .ring = source_->on_device(),
        .meanwhile = extent_ ? [this] { source_->count_episodes(); } : std::function<void()>(),
        .updated = hooks_.updated(*this),
        .exchange = exchange_};
    progress_.units.resize(wiring_.objectives.size());
    for (std::size_t i = 0; i < wiring_.objectives.size(); ++i) {
        units_.push_back(
            TENON_TRY(LearningUnit::make(wiring_.objectives[i], progress_.units[i], site, executor, learner_)));
    }
    return {};
}

// Every unit in its turn. False: it was asked to stop.
Result<bool> Trainer::learn(std::int64_t until) {
    for (; progress_.round.unit < units_.size(); ++progress_.round.unit) {
        Result<bool> ended = units_[progress_.round.unit].learn(stop_, until);
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
    for (const std::int64_t until = progress_.standing.frames + frames; progress_.standing.frames < until && done;) {
        done = collect();
        if (keeper_) {
            keeper_->take(source_->storage());
        }
    }
    if (!done) {
        return std::move(done).error();
    }
    return unit.next_minibatch();
}

Status Trainer::after_collecting(std::int64_t steps) {
    if (keeper_) {
        keeper_->take(source_->storage());
    }
    if (noise_) {
        TENON_TRY(noise_->end_round(source_->storage(), progress_.standing.frames, numbers()));
    }
    if (const std::string lie = source_->look(); !lie.empty()) {
        warn(plugin_problem(source_->lanes().name() + ": " + lie, wiring_.parts.training.env.info.place));
    }
    TENON_TRY(collected_ ? collected_(steps) : Status());
    return hooks_.call(TN_HOOK_COLLECTED, *this);
}

Status Trainer::collect_batch() {
    progress_.round = {.begun = true};
    stop_ = never_stops;
    Status done = collect_frames();
    source_->count_episodes();
    progress_.round = {};
    return done;
}

Status Trainer::collect_frames() {
    Status done = extent_ ? collect_extent() : collect_steps();
    same_parameters_ = false;
    done = done ? source_->settle() : done;
    if (!extent_ || !progress_.round.collected) {  // otherwise that is done while the device learns from the batch
        source_->count_episodes();
    }
    return done;
}

// Lanes of a pool that are ready at the end have begun their next step, which they make while the units learn.
Status Trainer::collect_steps() {
    steps_->order(progress_.standing, steps_of_round(wiring_.manifest) - progress_.round.steps);
    const auto has_all = [this] {
        return source_->counts_frames() ? progress_.round.frames >= wiring_.manifest.train.batch
                                        : progress_.round.steps == steps_of_round(wiring_.manifest);
    };
    TENON_TRY(step_until(*source_, stop_, has_all, [this] { return collect_one(); }));
    progress_.round.collected = has_all();
    return {};
}

Status Trainer::collect_extent() {
    const Storage& storage = source_->storage();
    const auto has_all = [this] { return progress_.round.steps > 0 && source_->is_complete(*extent_); };
    const auto step = [&]() -> Status {
        if (progress_.round.steps == 0) {
            TENON_TRY(begin_batch());
        }
        if (extent_->by_episodes() && storage.head() + 1 == storage.slots()) {
            return plugin_problem(source_->lanes().name() + " says that an episode has " +
                                      counted(wiring_.episode_limit, "step") + " at most, but one has more",
                                  wiring_.parts.training.env.info.place);
        }
        return collect_one();
    };
    if (wiring_.prefetches_batches()) {
        order_batch();
    }
    TENON_TRY(step_until(*source_, stop_, has_all, step));
    if (has_all()) {
        source_->finish_batch(*extent_);
        progress_.round.collected = true;
    }
    return {};
}

void Trainer::drop_batch() {
    progress_.round.steps = 0;
    align(source_->experience());
    source_->experience().rewind();
    source_->changed_on_host();
}

Status Trainer::begin_batch() {
    extent_->begin();
    return source_->begin_batch(extent_->by_episodes() && progress_.standing.steps > 0);
}

// A step of the round.
Status Trainer::collect_one() {
    TENON_TRY(collect());
    ++progress_.round.steps;
    same_parameters_ = true;
    return {};
}

Status Trainer::collect() {
    const Result<std::uint32_t> completed = source_->await(stop_);
    const bool acts = completed && !source_->ready().empty();
    if (!acts || *completed > 0) {  // otherwise they are taken with those of the step
        take_lane_warnings();
    }
    if (!completed) {
        return completed.error();
    }
    count(*completed);
    if (!acts) {
        return {};
    }
    const std::uint32_t frames = TENON_TRY(steps_->step(progress_.standing, same_parameters_));
    TENON_TRY(exchange_ != nullptr ? check_all_run(*source_, progress_.standing) : Status());
    take_lane_warnings();
    if (extent_) {
        source_->record(*extent_);
    }
    ++progress_.standing.steps;
    count(frames);
    return {};
}

void Trainer::count(std::uint32_t frames) {
    if (frames > 0) {
        progress_.standing.frames += frames * sharers(wiring_.manifest);  // every shard collects as many
        progress_.round.frames += frames;
        move_schedules();
    }
}

void Trainer::take_lane_warnings() {
    for (Problem& warning : source_->take_warnings()) {
        warn(std::move(warning));
    }
}

void Trainer::warn(Problem warning) {
    warning.sentence += at_frame(progress_.standing);
    warnings_.push_back(std::move(warning));
}

RunNumbers Trainer::numbers() const {
    RunNumbers out = numbers_at(wiring_, progress_.standing, live_);
    out.same_parameters = same_parameters_;
    return out;
}

}  // namespace tenon
