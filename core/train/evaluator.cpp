// SPDX-License-Identifier: Apache-2.0
#include "train/evaluator.hpp"

#include <algorithm>
#include <utility>

#include "env/seeds.hpp"
#include "log/log.hpp"
#include "random/key.hpp"
#include "train/even_parts.hpp"
#include "train/units.hpp"

namespace tenon {
Result<std::unique_ptr<Evaluator>> Evaluator::make(Wiring& wiring, const Scored& scored, Host& host, Executor* executor,
                                                   Learner& learner, std::int64_t episodes, std::uint64_t seed) {
    std::unique_ptr<Evaluator> out(new Evaluator);
    out->wiring_ = &wiring;
    out->seed_ = seed;
    const std::vector<TaskTable>& tasks = evaluation_tasks(wiring.manifest, scored.which);
    const std::size_t parts = scored.task ? 1 : std::max<std::size_t>(tasks.size(), 1);
    std::vector<std::uint32_t> of_parts =
        even_parts(evaluation_lanes(wiring.manifest, scored.which, episodes, parts), parts);
    const std::vector<std::int64_t> shares = even_parts(episodes, parts);
    for (std::size_t i = 0; i < parts; ++i) {
        const std::vector<std::int64_t> share = even_parts(shares[i], of_parts[i]);
        out->share_.insert(out->share_.end(), share.begin(), share.end());
    }
    if (scored.task) {
        std::vector<std::uint32_t> only(tasks.size());
        only[*scored.task] = of_parts.front();
        of_parts = std::move(only);
    } else {
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            out->tasks_.push_back({tasks[i].name, of_parts[i]});
        }
    }
    Result<Lanes> made = make_evaluation_env(wiring, scored.which, of_parts, seed, host.pool);
    if (!made) {
        return std::move(made).error();
    }
    out->lanes_.emplace(std::move(*made));
    Result<Storage> storage = Storage::make(storage_columns(out->lanes_->specs()), 2, out->lanes_->count());
    if (!storage) {
        return std::move(storage).error();
    }
    out->storage_.emplace(std::move(*storage));
    if (Status bound = out->lanes_->bind(*out->storage_); !bound) {
        return std::move(bound).error();
    }
    Result<Acting> acting = out->make_acting(host, executor, learner);
    if (!acting) {
        return std::move(acting).error();
    }
    out->player_.emplace(*out->lanes_, *out->storage_, std::move(*acting));
    return out;
}

std::vector<NamedScore> Evaluator::task_scores() const {
    std::vector<NamedScore> out;
    std::uint32_t first = 0;
    for (const TaskLanes& task : tasks_) {
        out.push_back({task.name, player_->score(first, task.lanes)});
        first += task.lanes;
    }
    return out;
}

Result<Acting> Evaluator::make_acting(Host& host, Executor* executor, Learner& learner) {
    if (!wiring_->acts_by_graph()) {
        return make_procedure(host.pool);
    }
    Result<Actor> actor = Actor::make(wiring_->evaluating(), seed_, *executor, learner, *storage_, lanes_->specs());
    return actor ? Result<Acting>(std::move(*actor)) : std::move(actor).error();
}

// A separate instance, because the training's instance keeps state for its lanes.
Result<Acting> Evaluator::make_procedure(Pool& pool) {
    const auto part = std::ranges::find_if(wiring_->parts.policies,
                                           [&](const Part& p) { return p.info.name == wiring_->procedural->name(); });
    Result<Instance> policy = instantiate(*part, storage_->lanes(), seed_, "eval/");
    if (!policy) {
        return std::move(policy).error();
    }
    Result<ProceduralPolicy> procedure = ProceduralPolicy::make(std::move(*policy), lanes_->specs(), pool);
    if (!procedure) {
        return std::move(procedure).error();
    }
    Status ready = procedure->bind(*storage_);
    if (ready) {
        ready = procedure->save(begin_.writer());
    }
    if (!ready) {
        return std::move(ready).error();
    }
    return Acting(ActingProcedure{.policy = std::move(*procedure),
                                  .mode = wiring_->manifest.eval.actions == "sample" ? TN_ACT_SAMPLE : TN_ACT_MODE,
                                  .key = make_key(seed_, "eval/policy")});
}

Result<std::optional<Score>> Evaluator::run(const RunNumbers& numbers, StopAsked stop) {
    const Status begun = begin(lane_seeds(make_key(seed_, "eval/env"), storage_->lanes()).data());
    Result<std::optional<Score>> played = begun ? play(numbers, stop, {}) : begun.error();
    if (!played) {
        played.error().sentence += " (in an evaluation)";
    }
    return played;
}

Result<std::optional<Score>> Evaluator::show(const RunNumbers& numbers, std::uint32_t episode,
                                             const std::function<Status(const Lanes&)>& seen, StopAsked stop) {
    Status begun = begin(&lane_seeds(make_key(seed_, "eval/env"), episode + 1).back());
    if (begun) {
        begun = seen(*lanes_);
    }
    return begun ? play(numbers, stop, seen) : std::move(begun).error();
}

Status Evaluator::begin(const std::uint64_t* seeds) {
    Status begun = lanes_->follow(*wiring_->lanes);
    if (begun) {
        begun = lanes_->reset(nullptr, seeds);
    }
    if (ActingProcedure* const acting = player_->procedure(); begun && acting != nullptr) {
        begin_.at = 0;
        begun = acting->policy.load(begin_.reader());
    }
    player_->begin(share_);
    return begun;
}

Result<std::optional<Score>> Evaluator::play(const RunNumbers& numbers, StopAsked stop,
                                             const std::function<Status(const Lanes&)>& seen) {
    while (!player_->complete()) {
        if (stop()) {
            return std::optional<Score>();
        }
        if (Status stepped = player_->step(numbers); !stepped) {
            return std::move(stepped).error();
        }
        if (Problems warnings = lanes_->take_warnings(); !warnings.empty()) {
            return std::move(warnings.front());  // a score over fewer episodes than asked for would mislead
        }
        for (const Problem& notice : lanes_->take_notices()) {
            log(Level::kWarning, render_unlabelled(notice));
        }
        if (seen && !player_->complete()) {
            if (Status shown = seen(*lanes_); !shown) {
                return std::move(shown).error();
            }
        }
    }
    return std::optional(player_->score());
}

}  // namespace tenon
