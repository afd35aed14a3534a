// SPDX-License-Identifier: Apache-2.0
#include "train/collect/evaluator.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error/listed.hpp"
#include "base/log/log.hpp"
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "experience/env/summed_reward.hpp"
#include "train/collect/env_copies.hpp"
#include "train/collect/make_source.hpp"
#include "train/plan/even_parts.hpp"

namespace tenon {
Result<std::unique_ptr<Evaluator>> Evaluator::make(const Wiring& wiring, const Lanes& training, const Scored& scored,
                                                   Host& host, Executor* executor, Learner& learner,
                                                   std::int64_t episodes, std::uint64_t seed) {
    std::unique_ptr<Evaluator> out(new Evaluator);
    out->training_ = &training;
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
            out->tasks_.push_back({*tasks[i].name, of_parts[i]});
        }
    }
    Lanes made = TENON_TRY(make_evaluation_env(wiring, scored.which, of_parts, seed, host.pool));
    std::optional<Lanes> copies;
    if (!wiring.acts_by_graph() && steps_copies(*wiring.procedure)) {
        copies.emplace(TENON_TRY(make_evaluation_env(wiring, scored.which, of_parts, seed, host.pool)));
    }
    out->source_ = TENON_TRY(make_source(std::move(made)));
    out->groups_.resize(out->source_->episodes_of_groups().size());
    out->source_->lanes().need_all();
    out->max_steps_ = longest_evaluated(wiring.manifest, out->lanes().env_info().episode_limit);
    out->chosen_ = wiring.manifest.eval.max_steps.has_value();
    out->is_long_.resize(out->lanes().count());
    TENON_TRY(out->make_acting(wiring, std::move(copies), host, executor, learner));
    return out;
}

std::vector<NamedScore> Evaluator::task_scores() const {
    std::vector<NamedScore> out;
    std::uint32_t first = 0;
    for (const TaskLanes& task : tasks_) {
        out.push_back({task.name, sheet_.score(first, task.lanes)});
        first += task.lanes;
    }
    return out;
}

std::vector<NamedScore> Evaluator::group_scores() const {
    std::vector<NamedScore> out;
    for (const std::string_view name : groups_with_rewards(lanes().env_info().specs)) {
        out.push_back({std::string(name), groups_[out.size()].score()});
    }
    return out;
}

std::vector<Score> Evaluator::part_scores() const {
    std::vector<Score> out;
    for (const std::vector<NamedScore>& list : {task_scores(), group_scores()}) {
        std::ranges::transform(list, std::back_inserter(out), &NamedScore::score);
    }
    return out;
}

// A procedure has its own instance, because the training's instance keeps state for its lanes.
Status Evaluator::make_acting(const Wiring& wiring, std::optional<Lanes> copies, Host& host, Executor* executor,
                              Learner& learner) {
    ActingOptions acting{.program = wiring.acts_by_graph() ? &wiring.evaluating() : nullptr,
                         .mode = wiring.manifest.eval.actions == "sample" ? TN_ACT_SAMPLE : TN_ACT_MODE,
                         .stream = "eval/policy",
                         .seed = seed_};
    if (!wiring.acts_by_graph()) {
        acting.procedure = TENON_TRY(instantiate(*wiring.procedure, source_->lanes().count(), seed_, "eval/"));
    }
    if (copies) {
        acting.procedure = TENON_TRY(
            with_copies(std::move(*acting.procedure), std::move(*copies), *source_, wiring, executor, learner));
    }
    Status acts = source_->act_by(std::move(acting), executor, learner, host.pool);
    const ProceduralPolicy* const procedure = source_->procedure();
    return acts && procedure != nullptr ? procedure->save(begin_.writer()) : acts;
}

Result<std::optional<Score>> Evaluator::run(const RunNumbers& numbers, StopAsked stop) {
    const Status begun = begin(numbers, lane_seeds(make_key(seed_, "eval/env"), lanes().count()).data());
    Result<std::optional<Score>> played = begun ? play(numbers, stop, {}) : begun.error();
    if (!played) {
        played.error().sentence += " (in an evaluation)";
    }
    return played;
}

Result<std::optional<Score>> Evaluator::show(const RunNumbers& numbers, std::uint32_t episode,
                                             const std::function<Status(const Lanes&)>& seen, StopAsked stop) {
    Status begun = begin(numbers, &lane_seeds(make_key(seed_, "eval/env"), episode + 1).back());
    if (begun) {
        begun = seen(lanes());
    }
    if (!begun) {
        return std::move(begun).error();
    }
    source_->lanes().watch_ends([&](std::uint32_t) { return seen(lanes()); });
    Result<std::optional<Score>> played = play(numbers, stop, seen);
    source_->lanes().watch_ends({});
    return played;
}

Status Evaluator::freeze() {
    frozen_ = true;
    return source_->lanes().follow(*training_);
}

Status Evaluator::begin(const RunNumbers& numbers, const std::uint64_t* seeds) {
    source_->lanes().follow_values(numbers.live);
    Status begun = frozen_ ? Status() : source_->lanes().follow(*training_);
    if (begun) {
        begun = source_->reset(seeds);
    }
    if (ProceduralPolicy* const procedure = source_->procedure(); begun && procedure != nullptr) {
        begin_.at = 0;
        begun = procedure->load(begin_.reader());
    }
    sheet_.begin(share_);
    std::ranges::for_each(groups_, [&](ScoreSheet& group) { group.begin(share_); });
    return begun;
}

Result<std::optional<Score>> Evaluator::play(const RunNumbers& numbers, StopAsked stop,
                                             const std::function<Status(const Lanes&)>& seen) {
    constexpr std::uint64_t kLong = 100'000;
    RunNumbers now = numbers;
    now.same_parameters = false;
    for (std::uint64_t step = 0; !sheet_.complete(); ++step) {
        if (stop() || (given_up_ != nullptr && given_up_->load(std::memory_order_relaxed))) {
            return std::optional<Score>();
        }
        TENON_TRY(source_->step({.numbers = now, .counter = step}));
        now.same_parameters = true;
        sheet_.add(source_->episodes().ended());
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            groups_[i].add(source_->episodes_of_groups()[i].ended());
        }
        if (step + 1 == kLong && sheet_.score().episodes == 0) {
            log(Level::kWarning, "no episode has ended in " + std::to_string(kLong) + " steps of an evaluation of " +
                                     lanes().name() +
                                     ", which waits for all of them; set eval.max_steps to cut them off sooner");
        }
        if (Problems warnings = source_->lanes().take_warnings(); !warnings.empty()) {
            return std::move(warnings.front());  // a score over fewer episodes than asked for would mislead
        }
        for (const Problem& notice : source_->lanes().take_notices()) {
            log(Level::kWarning, render_unlabelled(notice));
        }
        if (seen && !sheet_.complete()) {
            TENON_TRY(seen(lanes()));
        }
        TENON_TRY(cut_off_episodes());
    }
    const Score score = sheet_.score();
    tell_of_cut_off(score);
    hint_at_other_rewards(score);
    return std::optional(score);
}

// Counts episodes that have become too long, and begins others in their lanes.
Status Evaluator::cut_off_episodes() {
    const Episodes& episodes = source_->episodes();
    bool any = false;
    for (std::uint32_t lane = 0; max_steps_ > 0 && lane < is_long_.size(); ++lane) {
        is_long_[lane] = episodes.running(lane).length >= max_steps_ ? 1 : 0;
        any = any || is_long_[lane] != 0;
    }
    if (!any) {
        return {};
    }
    cut_off(episodes, sheet_);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        cut_off(source_->episodes_of_groups()[i], groups_[i]);
    }
    return sheet_.complete() ? Status() : source_->begin_in(is_long_.data());
}

void Evaluator::cut_off(const Episodes& episodes, ScoreSheet& sheet) {
    long_.clear();
    for (std::uint32_t lane = 0; lane < is_long_.size(); ++lane) {
        if (is_long_[lane] != 0) {
            long_.push_back({.lane = lane, .episode = episodes.running(lane), .cut_off = true});
        }
    }
    sheet.add(long_);
}

void Evaluator::tell_of_cut_off(const Score& score) {
    if (score.cut_off == 0 || chosen_ || told_) {
        return;
    }
    told_ = true;
    log(Level::kWarning, lanes().name() + " has no time limit, and an evaluation has cut off " +
                             std::to_string(score.cut_off) + " of its " + counted(score.episodes, "episode") +
                             " after " + std::to_string(max_steps_) +
                             " steps; set env.max_episode_steps, if the env has it, or eval.max_steps");
}

// An env may give its agents all rewards, and leave the one of the lane at 0 without a word.
void Evaluator::hint_at_other_rewards(const Score& score) {
    const Composite& specs = lanes().env_info().specs;
    const auto other = std::ranges::find_if(
        specs.specs, [](const Spec& spec) { return spec.role == Role::kReward && !spec.group.empty(); });
    const bool is_silent = score.episodes > 0 && score.return_mean == 0 && score.return_std == 0;
    if (hinted_ || !is_silent || other == specs.specs.end() || !specs.find(lanes().summed())->group.empty()) {
        return;
    }
    hinted_ = true;
    log(Level::kWarning, "every episode of an evaluation had a return of 0, the sum of '" + lanes().summed() + "' of " +
                             lanes().name() + "; if that env rewards only its agents, set eval.returns = \"" +
                             other->key + "\"");
}

}  // namespace tenon
