// SPDX-License-Identifier: Apache-2.0
#include "train/collect/collector.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/random/key.hpp"

namespace tenon {

Collector::Collector(Lanes lanes, std::unique_ptr<Storage> storage)
    : storage_(std::move(storage)),
      lanes_(std::move(lanes)),
      episodes_(storage_->lanes()),
      watch_(lanes_.specs(), *storage_) {}

Result<Collector> Collector::make(Lanes lanes, Storage storage) {
    auto kept = std::make_unique<Storage>(std::move(storage));
    Status bound = lanes.bind(*kept);
    return bound ? Result(Collector(std::move(lanes), std::move(kept))) : Result<Collector>(std::move(bound).error());
}

Result<Collector> Collector::make(Lanes like, Storage storage, WorkerLanes::Plan plan) {
    std::unique_ptr<WorkerLanes> workers = TENON_TRY(WorkerLanes::make(std::move(plan), storage));
    Collector out(std::move(like), std::make_unique<Storage>(std::move(storage)));
    out.workers_ = std::move(workers);
    return out;
}

std::uint32_t Collector::running() const {
    return workers_ == nullptr ? lanes_.running()
                               : static_cast<std::uint32_t>(std::ranges::count(storage_->parked(), std::uint8_t{0}));
}

Problems Collector::take_warnings() {
    Problems out = lanes_.take_warnings();
    std::ranges::move(lanes_.take_notices(), std::back_inserter(out));
    if (workers_ != nullptr) {
        std::ranges::move(workers_->take_warnings(), std::back_inserter(out));
    }
    return out;
}

Status Collector::act_by(ActingOptions options, Executor* executor, Learner& learner, Pool& pool) {
    learns_ = options.learns;
    learns_at_ = options.learns_at;
    if (options.device_steps > 0) {
        TENON_TRY(move_to_device(options.device_steps, executor->device()));
    }
    if (options.program != nullptr) {
        actor_.emplace(TENON_TRY(
            ring_ != nullptr
                ? Actor::make_on_device(*options.program, options.seed, *executor, learner, *ring_)
                : Actor::make(*options.program, options.seed, *executor, learner, *storage_, lanes_.specs())));
    } else if (options.procedure) {
        ProceduralPolicy policy =
            TENON_TRY(ProceduralPolicy::make(std::move(*options.procedure), lanes_.specs(), pool));
        procedure_.emplace(Procedure{
            .policy = std::move(policy), .mode = options.mode, .key = make_key(options.seed, options.stream)});
        TENON_TRY(procedure_->policy.bind(*storage_));
    }
    if (options.profile != nullptr) {
        profile_ = options.profile;
        acting_ = profile_->span(Work::kPolicy);
        stepping_ = profile_->span(Work::kLanes);
        lanes_.measure(profile_);
    }
    if (options.random) {
        random_.emplace(lanes_.specs(), options.seed);
    }
    return {};
}

Status Collector::reset(const std::uint64_t* seeds) {
    episodes_.drop(nullptr);
    if (workers_ != nullptr) {
        return workers_->begin(*storage_, seeds);
    }
    TENON_TRY(fetch_to_host());
    changed_on_host();
    Status begun = lanes_.reset(nullptr, seeds);
    if (begun && pooled_) {
        begin_pool();
    }
    return begun;
}

Status Collector::step(const RunNumbers& numbers, std::uint64_t counter, bool randomly) {
    if (workers_ != nullptr) {
        return workers_->step(*storage_, numbers, counter, episodes_);
    }
    if (ring_ != nullptr) {
        return step_on_device(numbers, counter, randomly);
    }
    TENON_TRY(act(numbers, counter, randomly));
    const Timed timed(profile_, stepping_);
    TENON_TRY(lanes_.step());
    episodes_.drop(lanes_.lost().data());
    episodes_.record(*storage_, storage_->slot_before(storage_->head()), lanes_.rewards());
    return {};
}

Status Collector::act(const RunNumbers& numbers, std::uint64_t counter, bool randomly) {
    const Timed timed(profile_, acting_);
    if (actor_ && (!randomly || actor_->remembers())) {
        TENON_TRY(actor_->act(*storage_, numbers, counter));
    } else if (procedure_ && !randomly) {
        return procedure_->policy.act(procedure_->mode, procedure_->key, counter);
    }
    if (random_ && (randomly || !actor_)) {
        random_->act(*storage_, counter);
    }
    return {};
}

}  // namespace tenon
