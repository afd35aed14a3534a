// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "env/seeds.hpp"
#include "random/key.hpp"

namespace tenon {
namespace {

void add_to(std::vector<double>& sums, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        sums[i] += values[i];
    }
}

}  // namespace

std::uint32_t storage_slots(const Wiring& wiring) {
    const Manifest& manifest = wiring.manifest;
    const auto lanes = static_cast<std::uint32_t>(manifest.env.lanes);
    return manifest.buffer ? Storage::slots_for(static_cast<std::uint64_t>(manifest.buffer->capacity), lanes) : 2;
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
        return std::move(storage).error();
    }
    storage_.emplace(std::move(*storage));
    episodes_.emplace(storage_->lanes());
    if (Status bound = wiring_.lanes->bind(*storage_); !bound) {
        return bound;
    }
    random_.emplace(wiring_.env_specs, seed);
    policy_key_ = make_key(seed, "policy/act");
    if (wiring_.acts_by_graph()) {
        Result<Actor> actor = Actor::make(wiring_.act, seed, *executor, learner_, *storage_);
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
    if (wiring_.learns()) {
        Result<Updater> updater = Updater::make(
            wiring_.update, "objective " + wiring_.objective->component, wiring_.stages, seed,
            static_cast<std::uint32_t>(manifest.train.minibatch), *executor, learner_, *wiring_.sampler, *storage_);
        if (!updater) {
            return std::move(updater).error();
        }
        updater_.emplace(std::move(*updater));
        means_.losses.resize(updater_->losses().size());
        means_.metrics.resize(updater_->metrics().size());
        means_.gradient_norms.resize(updater_->gradient_norms().size());
    }
    move_schedules();
    return wiring_.lanes->reset(nullptr, lane_seeds(make_key(seed, "env"), storage_->lanes()).data());
}

Status Trainer::round() {
    const std::int64_t steps = wiring_.manifest.train.batch / wiring_.manifest.env.lanes;
    for (std::int64_t i = 0; i < steps; ++i) {
        if (Status done = collect(); !done) {
            return done;
        }
    }
    return learn();
}

Status Trainer::collect() {
    if (Status acted = act(); !acted) {
        return acted;
    }
    if (Status stepped = wiring_.lanes->step(); !stepped) {
        return stepped;
    }
    episodes_->record(*storage_, wiring_.lanes->rewards());
    ++standing_.steps;
    standing_.frames += wiring_.lanes->running();
    move_schedules();
    if (wiring_.lanes->running() == 0) {
        Problems warnings = wiring_.lanes->take_warnings();
        return warnings.empty() ? plugin_problem(wiring_.lanes->name() + " has given up all of its lanes")
                                : std::move(warnings.back());
    }
    return {};
}

Status Trainer::act() {
    const auto counter = static_cast<std::uint64_t>(standing_.steps);
    if (updater_ && standing_.frames < wiring_.manifest.train.start_frames) {
        random_->act(*storage_, counter);
        return {};
    }
    return actor_ ? actor_->act(*storage_, numbers(), counter) : procedure_->act(TN_ACT_SAMPLE, policy_key_, counter);
}

Status Trainer::learn() {
    if (!updater_ || standing_.frames < wiring_.manifest.train.start_frames) {
        return {};
    }
    for (std::int64_t due = updates_due(); due > 0; --due) {
        if (Status done = updater_->update(*storage_, numbers(), static_cast<std::uint64_t>(standing_.updates));
            !done) {
            return done;
        }
        ++standing_.updates;
        move_schedules();
        add_means();
    }
    return {};
}

std::int64_t Trainer::updates_due() const {
    const TrainTable& train = wiring_.manifest.train;
    if (train.updates_per_frame) {
        const double wanted = *train.updates_per_frame * static_cast<double>(standing_.frames - train.start_frames);
        return static_cast<std::int64_t>(std::floor(wanted)) - standing_.updates;
    }
    return train.updates_per_batch.value_or(1);
}

void Trainer::add_means() {
    ++means_.count;
    add_to(means_.losses, updater_->losses());
    add_to(means_.metrics, updater_->metrics());
    add_to(means_.gradient_norms, updater_->gradient_norms());
}

void Trainer::forget_means() {
    means_.count = 0;
    for (auto* sums : {&means_.losses, &means_.metrics, &means_.gradient_norms}) {
        std::fill(sums->begin(), sums->end(), 0.0);
    }
}

RunNumbers Trainer::numbers() const {
    const double frames = static_cast<double>(standing_.frames);
    const double total = static_cast<double>(wiring_.manifest.run.total_frames);
    return {.live = wiring_.live.values,
            .frames = frames,
            .updates = static_cast<double>(standing_.updates),
            .progress = std::min(frames / total, 1.0)};
}

void Trainer::move_schedules() {
    apply(wiring_.live.schedules, static_cast<double>(standing_.frames), static_cast<double>(standing_.updates),
          wiring_.live.values);
}

}  // namespace tenon
