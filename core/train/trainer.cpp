// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.hpp"

#include <algorithm>
#include <utility>

#include "env/seeds.hpp"
#include "manifest/pace.hpp"
#include "random/key.hpp"
#include "train/initial_frames.hpp"

namespace tenon {

std::uint32_t storage_slots(const Wiring& wiring) {
    const Manifest& manifest = wiring.manifest;
    const BufferTable* const ring = collecting_buffer(manifest);
    const std::int64_t frames = ring != nullptr            ? ring->capacity
                                : wiring.learns_by_batch() ? batch_steps(wiring) * manifest.env.lanes
                                                           : 1;
    return Storage::slots_for(static_cast<std::uint64_t>(frames), static_cast<std::uint32_t>(manifest.env.lanes));
}

std::uint32_t batch_steps(const Wiring& wiring) {
    const Manifest& manifest = wiring.manifest;
    const std::int64_t episodes = manifest.train.episodes.value_or(0) / manifest.env.lanes;
    return static_cast<std::uint32_t>(episodes > 0 ? episodes * wiring.lanes->env_info().episode_limit
                                                   : manifest.train.batch / manifest.env.lanes);
}

Result<std::unique_ptr<Trainer>> Trainer::make(Wiring& wiring, Host& host, Executor* executor) {
    std::unique_ptr<Trainer> out(new Trainer(wiring));
    if (Status built = out->build(host, executor); !built) {
        return std::move(built).error();
    }
    return out;
}

Status Trainer::build(Host& host, Executor* executor) {
    const Manifest& manifest = wiring_.manifest;
    const auto seed = static_cast<std::uint64_t>(manifest.run.seed);
    Result<Learner> learner = make_learner(wiring_);
    if (!learner) {
        return std::move(learner).error();
    }
    learner_ = std::move(*learner);
    Result<Storage> storage =
        Storage::make(wiring_.stored, storage_slots(wiring_), static_cast<std::uint32_t>(manifest.env.lanes));
    if (!storage) {
        const BufferTable* const ring = collecting_buffer(manifest);
        storage.error().place = place_of(manifest, ring != nullptr ? ring->component.path + ".capacity" : "env.lanes");
        return std::move(storage).error();
    }
    storage_.emplace(std::move(*storage));
    if (Status taken = take_frames(); !taken) {
        return taken;
    }
    episodes_.emplace(storage_->lanes());
    if (Status bound = wiring_.lanes->bind(*storage_); !bound) {
        return bound;
    }
    random_.emplace(wiring_.env_specs, seed);
    watch_ = SpecWatch(wiring_.env_specs, *storage_);
    policy_key_ = make_key(seed, "policy/act");
    if (Status acts = build_acting(host, executor); !acts) {
        return acts;
    }
    if (wiring_.learns()) {
        if (Status learns = build_units(*executor); !learns) {
            return learns;
        }
    }
    move_schedules();
    return wiring_.lanes->reset(nullptr, lane_seeds(make_key(seed, "env"), storage_->lanes()).data());
}

// The collecting buffer takes the frames of its init, every other one has them. A restored run takes them from the
// checkpoint, which has those of the collecting buffer only.
Status Trainer::take_frames() {
    held_.resize(wiring_.buffers.size());
    storages_.resize(wiring_.buffers.size());
    for (std::size_t i = 0; i < wiring_.buffers.size(); ++i) {
        BufferPlan& plan = wiring_.buffers[i];
        if (plan.collects()) {
            storages_[i] = &*storage_;
            if (plan.frames) {
                storage_->take(*plan.frames);
            }
        } else if (plan.part != nullptr) {
            if (!plan.frames) {
                Result<Storage> frames = read_initial_frames(wiring_, plan);
                if (!frames) {
                    return std::move(frames).error();
                }
                plan.frames.emplace(std::move(*frames));
            }
            held_[i] = std::move(plan.frames);
            storages_[i] = &*held_[i];
        }
        plan.frames.reset();
    }
    return {};
}

Status Trainer::build_acting(Host& host, Executor* executor) {
    if (wiring_.acts_by_graph()) {
        if (wiring_.manifest.parameter_noise) {
            Result<ParameterNoise> noise = ParameterNoise::make(wiring_, *executor, learner_, *storage_);
            if (!noise) {
                return std::move(noise).error();
            }
            noise_.emplace(std::move(*noise));
        }
        Result<Actor> actor = Actor::make(wiring_.act, static_cast<std::uint64_t>(wiring_.manifest.run.seed), *executor,
                                          noise_ ? noise_->acting() : learner_, *storage_, wiring_.env_specs);
        if (!actor) {
            return std::move(actor).error();
        }
        actor_.emplace(std::move(*actor));
    } else {
        Result<ProceduralPolicy> procedure = ProceduralPolicy::make(
            Callee<tn_policy_api>::of(*wiring_.procedural, "tenon.policy/1"), wiring_.env_specs, host.pool);
        if (!procedure) {
            return std::move(procedure).error();
        }
        procedure_.emplace(std::move(*procedure));
        if (Status bound = procedure_->bind(*storage_); !bound) {
            return bound;
        }
    }
    return {};
}

Status Trainer::round(StopAsked stop) {
    stop_ = stop;
    if (!round_.begun) {
        round_ = {.begun = true, .collected = only_learns(wiring_.manifest)};
        if (noise_ && !round_.collected) {
            noise_->begin_round(standing_.frames, numbers());
        }
    }
    if (!round_.collected) {
        if (Status done = collect_frames(); !done) {
            done.error().sentence += at_this_frame();
            return done;
        }
        if (!round_.collected) {
            return {};
        }
        if (Status done = after_collecting(); !done) {
            return done;
        }
    }
    return learn();
}

Status Trainer::build_units(Executor& executor) {
    const TrainTable& train = wiring_.manifest.train;
    if (wiring_.learns_by_batch()) {
        extent_.emplace(storage_->lanes(), batch_steps(wiring_),
                        train.episodes.value_or(0) / wiring_.manifest.env.lanes);
    }
    const LearningUnit::Site site{.wiring = wiring_,
                                  .standing = standing_,
                                  .storage = *storage_,
                                  .storages = storages_,
                                  .extent = extent_ ? &*extent_ : nullptr,
                                  .warnings = warnings_};
    for (ObjectivePlan& plan : wiring_.objectives) {
        Result<LearningUnit> unit = LearningUnit::make(plan, site, executor, learner_);
        if (!unit) {
            return std::move(unit).error();
        }
        units_.push_back(std::move(*unit));
    }
    return {};
}

// Every unit in its turn. What has been learnt from is dropped when the last one has finished.
Status Trainer::learn() {
    for (; round_.unit < units_.size(); ++round_.unit) {
        const Result<bool> ended = units_[round_.unit].learn(stop_);
        if (!ended) {
            return ended.error();
        }
        if (!*ended) {
            return {};
        }
    }
    if (extent_) {
        storage_->rewind();
    }
    round_ = {};
    return {};
}

Result<ChosenRows> Trainer::collect_minibatch(LearningUnit& unit) {
    const Manifest& manifest = wiring_.manifest;
    Status done = unit.samples() ? Status() : collect_batch();
    const std::int64_t frames = unit.samples() ? unit.plan().train.minibatch + manifest.env.lanes : 0;
    for (std::int64_t had = 0; had < frames && done; had += manifest.env.lanes) {
        done = collect();
    }
    if (!done) {
        return std::move(done).error();
    }
    return unit.next_minibatch();
}

Status Trainer::after_collecting() {
    if (noise_) {
        if (Status done = noise_->end_round(*storage_, standing_.frames, numbers()); !done) {
            return done;
        }
    }
    if (const std::string lie = watch_.look(*storage_); !lie.empty()) {
        warn(plugin_problem(wiring_.lanes->name() + ": " + lie, wiring_.parts.training.env.info.place));
    }
    return {};
}

Status Trainer::collect_batch() {
    round_ = {.begun = true};
    stop_ = never_stops;
    Status done = collect_frames();
    round_ = {};
    return done;
}

Status Trainer::collect_frames() {
    Status done = extent_ ? collect_extent() : collect_steps();
    same_parameters_ = false;
    return done;
}

Status Trainer::collect_steps() {
    const std::int64_t steps = wiring_.manifest.train.batch / wiring_.manifest.env.lanes;
    for (; round_.steps < steps; ++round_.steps) {
        if (stop_()) {
            return {};
        }
        if (Status done = collect(); !done) {
            return done;
        }
        same_parameters_ = true;
    }
    round_.collected = true;
    return {};
}

Status Trainer::collect_extent() {
    while (round_.steps == 0 || !extent_->complete()) {
        if (stop_()) {
            return {};
        }
        if (Status begun = round_.steps == 0 ? begin_batch() : Status(); !begun) {
            return begun;
        }
        if (storage_->head() + 1 == storage_->slots()) {
            return plugin_problem(wiring_.lanes->name() + " says that an episode has " +
                                      std::to_string(wiring_.lanes->env_info().episode_limit) +
                                      " steps at most, but one has more",
                                  wiring_.parts.training.env.info.place);
        }
        if (Status done = collect(); !done) {
            return done;
        }
        ++round_.steps;
        same_parameters_ = true;
    }
    round_.collected = true;
    return {};
}

void Trainer::drop_batch() {
    round_.steps = 0;
    storage_->rewind();
}

Status Trainer::begin_batch() {
    extent_->begin();
    if (!extent_->by_episodes() || standing_.steps == 0) {
        return {};
    }
    episodes_->drop(nullptr);
    return wiring_.lanes->reset(nullptr, nullptr);
}

Status Trainer::collect() {
    if (Status acted = act(); !acted) {
        return acted;
    }
    if (Status stepped = wiring_.lanes->step(); !stepped) {
        return stepped;
    }
    for (Problem& parked : wiring_.lanes->take_warnings()) {
        warn(std::move(parked));
    }
    for (Problem& notice : wiring_.lanes->take_notices()) {
        warn(std::move(notice));
    }
    episodes_->drop(wiring_.lanes->lost().data());
    episodes_->record(*storage_, wiring_.lanes->rewards());
    if (extent_) {
        extent_->record(*storage_);
    }
    ++standing_.steps;
    standing_.frames += wiring_.lanes->running();
    move_schedules();
    return {};
}

std::string Trainer::at_this_frame() const {
    return " (frame " + std::to_string(standing_.frames) + ")";
}

void Trainer::warn(Problem warning) {
    warning.sentence += at_this_frame();
    warnings_.push_back(std::move(warning));
}

Status Trainer::act() {
    const auto counter = static_cast<std::uint64_t>(standing_.steps);
    if (!units_.empty() && standing_.frames < wiring_.manifest.train.start_frames) {
        if (actor_ && actor_->remembers()) {  // the memory is stepped nevertheless; only the action is replaced
            if (Status acted = actor_->act(*storage_, numbers(), counter); !acted) {
                return acted;
            }
        }
        random_->act(*storage_, counter);
        return {};
    }
    return actor_ ? actor_->act(*storage_, numbers(), counter) : procedure_->act(TN_ACT_SAMPLE, policy_key_, counter);
}

RunNumbers Trainer::numbers() const {
    RunNumbers out = numbers_at(wiring_, standing_);
    out.same_parameters = same_parameters_;
    return out;
}

}  // namespace tenon
