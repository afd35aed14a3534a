// SPDX-License-Identifier: Apache-2.0
#include "train/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "env/seeds.hpp"
#include "log/log.hpp"
#include "random/key.hpp"
#include "train/evaluations.hpp"
#include "train/units.hpp"

namespace tenon {
Score score_of(const std::vector<double>& returns, std::int64_t steps) {
    Score out;
    out.episodes = static_cast<std::int64_t>(returns.size());
    const double n = std::max(static_cast<double>(returns.size()), 1.0);
    for (const double value : returns) {
        out.return_mean += value;
    }
    out.return_mean /= n;  // last: of a hundred ones it is one
    for (const double value : returns) {
        out.return_std += (value - out.return_mean) * (value - out.return_mean);
    }
    out.return_std = std::sqrt(out.return_std / n);
    out.length_mean = static_cast<double>(steps) / n;
    return out;
}

Result<std::unique_ptr<Evaluator>> Evaluator::make(Wiring& wiring, std::size_t which, Host& host, Executor* executor,
                                                   Learner& learner, std::int64_t episodes, std::uint64_t seed) {
    std::unique_ptr<Evaluator> out(new Evaluator);
    const std::uint32_t lanes = evaluation_lanes(wiring.manifest, which, episodes);
    out->wiring_ = &wiring;
    out->seed_ = seed;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        out->share_.push_back(episodes / lanes + (lane < episodes % lanes ? 1 : 0));
    }
    Result<Lanes> made = make_evaluation_env(wiring.parts, which, lanes, seed, host.pool);
    if (!made) {
        return std::move(made).error();
    }
    out->lanes_.emplace(std::move(*made));
    Result<Storage> storage = Storage::make(storage_columns(out->lanes_->specs()), 2, lanes);
    if (!storage) {
        return std::move(storage).error();
    }
    out->storage_.emplace(std::move(*storage));
    if (Status bound = out->lanes_->bind(*out->storage_); !bound) {
        return std::move(bound).error();
    }
    if (wiring.acts_by_graph()) {
        Result<Actor> actor =
            Actor::make(wiring.evaluating(), seed, *executor, learner, *out->storage_, out->lanes_->specs());
        if (!actor) {
            return std::move(actor).error();
        }
        out->actor_.emplace(std::move(*actor));
        return out;
    }
    const auto part = std::find_if(wiring.parts.policies.begin(), wiring.parts.policies.end(),
                                   [&](const Part& p) { return p.info.name == wiring.procedural->name(); });
    Result<Instance> policy = instantiate(*part, lanes, seed, "eval/");
    if (!policy) {
        return std::move(policy).error();
    }
    out->policy_.emplace(std::move(*policy));
    Result<ProceduralPolicy> procedure = ProceduralPolicy::make(
        Callee<tn_policy_api>::of(*out->policy_, "tenon.policy/1"), out->lanes_->specs(), host.pool);
    if (!procedure) {
        return std::move(procedure).error();
    }
    out->procedure_.emplace(std::move(*procedure));
    Status ready = out->procedure_->bind(*out->storage_);
    if (ready) {
        ready = out->procedure_->save(out->begin_.writer());
    }
    if (!ready) {
        return std::move(ready).error();
    }
    return out;
}

Result<Score> Evaluator::run() {
    Result<Score> played = play();
    if (!played) {
        played.error().sentence += " (in an evaluation)";
    }
    return played;
}

Result<Score> Evaluator::play() {
    const tn_key key = make_key(seed_, "eval/env");
    const tn_key policy_key = make_key(seed_, "eval/policy");
    if (Status followed = lanes_->follow(*wiring_->lanes); !followed) {
        return std::move(followed).error();
    }
    if (Status reset = lanes_->reset(nullptr, lane_seeds(key, storage_->lanes()).data()); !reset) {
        return std::move(reset).error();
    }
    if (procedure_) {
        begin_.at = 0;
        if (Status begun = procedure_->load(begin_.reader()); !begun) {
            return std::move(begun).error();
        }
    }
    std::vector<std::int64_t> left = share_;
    std::vector<double> running(left.size(), 0.0);
    std::vector<double> returns;
    std::int64_t steps = 0;
    std::uint64_t counter = 0;
    const std::int32_t mode = wiring_->manifest.eval.actions == "sample" ? TN_ACT_SAMPLE : TN_ACT_MODE;
    for (auto open = static_cast<std::int64_t>(left.size()); open > 0; ++counter) {
        const std::uint32_t slot = storage_->head();
        Status acted =
            actor_ ? actor_->act(*storage_, {.live = wiring_->live.values, .frames = 0, .updates = 0, .progress = 0},
                                 counter)
                   : procedure_->act(mode, policy_key, counter);
        if (!acted) {
            return std::move(acted).error();
        }
        if (Status stepped = lanes_->step(); !stepped) {
            return std::move(stepped).error();
        }
        if (Problems warnings = lanes_->take_warnings(); !warnings.empty()) {
            return std::move(warnings.front());  // a score over fewer episodes than asked for would mislead
        }
        for (const Problem& notice : lanes_->take_notices()) {
            log(Level::kWarning, render_unlabelled(notice));
        }
        for (std::uint32_t lane = 0; lane < storage_->lanes(); ++lane) {
            if (left[lane] == 0) {
                continue;
            }
            running[lane] = lanes_->lost()[lane] != 0 ? 0 : running[lane];  // another episode has begun with this step
            running[lane] += lanes_->rewards()[lane];
            ++steps;
            const std::size_t at = static_cast<std::size_t>(slot) * storage_->lanes() + lane;
            if (storage_->terminated()[at] != 0 || storage_->truncated()[at] != 0) {
                returns.push_back(std::exchange(running[lane], 0.0));
                open -= --left[lane] == 0 ? 1 : 0;
            }
        }
    }
    return score_of(returns, steps);
}

}  // namespace tenon
