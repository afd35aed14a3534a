// SPDX-License-Identifier: Apache-2.0
#include "train/learning_unit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "random/key.hpp"
#include "train/trainer.hpp"

namespace tenon {
namespace {

// The gather plan of a collected batch: every column directly at its row.
SamplerPlan plan_of_batch() {
    return {.sampler = "the collected batch", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
}

}  // namespace

Result<LearningUnit> LearningUnit::make(ObjectivePlan& plan, const Site& site, Executor& executor, Learner& learner) {
    const auto seed = static_cast<std::uint64_t>(site.wiring.manifest.run.seed);
    const auto& sampler = site.wiring.sampler;
    Result<Updater> updater = Updater::make(plan.update, "objective " + plan.unit.component, plan.stages, seed,
                                            static_cast<std::uint32_t>(plan.train.minibatch), executor, learner,
                                            sampler ? sampler->plan() : plan_of_batch(), site.storage);
    if (!updater) {
        return std::move(updater).error();
    }
    LearningUnit out(plan, site, std::move(*updater));
    if (Status built = out.build(executor, learner); !built) {
        return std::move(built).error();
    }
    return out;
}

Status LearningUnit::build(Executor& executor, Learner& learner) {
    const auto seed = static_cast<std::uint64_t>(site_.wiring.manifest.run.seed);
    sampling_key_ = make_key(seed, "buffer/sample");
    if (site_.extent != nullptr) {
        const std::uint32_t steps = batch_steps(site_.wiring);
        minibatches_.emplace(plan_->train, steps, site_.storage.lanes(), seed);
        const auto whole = [&](const BuiltProgram& built, std::optional<WholeBatch>& out) -> Status {
            if (!built.there()) {
                return {};
            }
            Result<WholeBatch> made = WholeBatch::make(built, "objective " + plan_->unit.component, seed, steps,
                                                       executor, learner, site_.storage);
            if (!made) {
                return std::move(made).error();
            }
            out.emplace(std::move(*made));
            return {};
        };
        if (Status made = whole(plan_->prepare, prepare_); !made) {
            return made;
        }
        if (Status made = whole(plan_->conclude, conclude_); !made) {
            return made;
        }
    }
    means_.losses.resize(updater_.losses().size());
    means_.metrics.resize(first_concluded() + (conclude_ ? conclude_->metrics().size() : 0));
    means_.gradient_norms.resize(updater_.gradient_norms().size());
    return {};
}

// The means of conclude follow those of the update and of prepare.
std::size_t LearningUnit::first_concluded() const {
    return updater_.metrics().size() + (prepare_ ? prepare_->metrics().size() : 0);
}

Result<bool> LearningUnit::learn(StopAsked stop) {
    stop_ = stop;
    Result<bool> ended = minibatches_ ? learn_from_batch() : learn_from_buffer();
    if (!ended) {
        Problem problem = std::move(ended).error();
        problem.sentence += at_this_update();
        return problem;
    }
    if (*ended) {
        position_ = {};
    }
    return ended;
}

// One update: a step with the mean gradient of several minibatches; choose(k, counter) returns the rows of each. False:
// it was given up and nothing has changed. It can be given up only if choosing the same rows again has no effect.
template <class Choose>
Result<bool> LearningUnit::update(std::int64_t minibatches, Choose choose) {
    const std::int64_t first = site_.standing.updates * plan_->train.accumulate;
    for (std::int64_t k = 0; k < minibatches; ++k) {
        const auto counter = static_cast<std::uint64_t>(first + k);
        Result<Minibatch> rows = choose(static_cast<std::size_t>(k), counter);
        if (!rows) {
            return std::move(rows).error();
        }
        GiveUp give_up{.asked = stop_};
        const bool may_give_up = minibatches_ && k == 0 && plan_->train.minibatch >= kManyRows;
        if (Status done = updater_.run(*rows, numbers(), counter, {.first = k == 0, .last = k + 1 == minibatches},
                                       may_give_up ? &give_up : nullptr);
            !done) {
            return std::move(done).error();
        }
        if (give_up.given_up) {
            return false;
        }
        if (updater_.left_out()) {
            leave_out(*updater_.left_out());
            continue;
        }
        add_means();
        if (Status taken = prioritise(); !taken) {
            return std::move(taken).error();
        }
        position_.stopped = position_.stopped || updater_.stops_epochs();
    }
    count_update();
    return true;
}

void LearningUnit::leave_out(const Problem& why) {
    if (site_.standing.left_out++ == 0) {
        Problem warning = why;
        warning.sentence += at_this_update() + "; its minibatch is left out (reported once, then counted)";
        warning.sentence += " (frame " + std::to_string(site_.standing.frames) + ")";
        site_.warnings.push_back(std::move(warning));
    }
}

std::string LearningUnit::at_this_update() const {
    return " (update " + std::to_string(site_.standing.updates) + ")";
}

void LearningUnit::count_update() {
    ++site_.standing.updates;
    move_schedules(site_.wiring, site_.standing);
}

Result<Minibatch> LearningUnit::choose(std::uint64_t counter) {
    const std::int64_t rows = plan_->train.minibatch;
    Sampler& sampler = *site_.wiring.sampler;
    if (Status chosen = sampler.sample(site_.storage, static_cast<std::uint32_t>(rows), sampling_key_, counter,
                                       site_.wiring.sampler_options.now(site_.wiring.live.values));
        !chosen) {
        return std::move(chosen).error();
    }
    const std::int64_t time = sampler.plan().time;
    return Minibatch{.rows = sampler.sampled(),
                     .sizes = time > 0 ? Sizes{.rows = 0, .time = time, .lanes = rows / time}
                                       : Sizes{.rows = rows, .time = 0, .lanes = 0}};
}

Status LearningUnit::prioritise() {
    const std::span<const double> priorities = updater_.priorities();
    return priorities.empty() ? Status()
                              : site_.wiring.sampler->prioritise(priorities, plan_->unit.component, plan_->unit.place);
}

Result<Minibatch> LearningUnit::next_minibatch() {
    const auto counter = static_cast<std::uint64_t>(site_.standing.updates);
    if (!minibatches_) {
        return choose(counter);
    }
    stop_ = never_stops;
    if (Result<bool> done = run_whole(prepare_, updater_.metrics().size()); !done) {
        return std::move(done).error();
    }
    minibatches_->shuffle(site_.storage, site_.extent->lengths(), counter);
    if (minibatches_->count() == 0) {
        return input_problem("there is nothing to learn from yet: no episode has been completed");
    }
    return minibatches_->at(0);
}

Result<bool> LearningUnit::learn_from_buffer() {
    const TrainTable& train = plan_->train;
    if (position_.due < 0) {
        position_.due = site_.standing.frames < train.start_frames ? 0 : std::max<std::int64_t>(updates_due(), 0);
    }
    const auto chosen = [&](std::size_t, std::uint64_t counter) { return choose(counter); };
    for (; position_.due > 0; --position_.due) {
        if (stop_()) {
            return false;
        }
        if (Result<bool> done = update(train.accumulate, chosen); !done) {
            return done;
        }
    }
    return true;
}

std::int64_t LearningUnit::updates_due() const {
    const TrainTable& train = plan_->train;
    if (train.total_updates) {
        return 1;
    }
    if (train.updates_per_frame) {
        const double wanted =
            *train.updates_per_frame * static_cast<double>(site_.standing.frames - train.start_frames);
        return static_cast<std::int64_t>(std::floor(wanted)) - site_.standing.updates;
    }
    return train.updates_per_batch.value_or(1);
}

Result<bool> LearningUnit::learn_from_batch() {
    while (position_.epoch < plan_->train.epochs.value_or(1) && !position_.stopped) {
        if (stop_()) {
            return false;
        }
        Result<bool> ended = run_epoch();
        if (!ended || !*ended) {
            return ended;
        }
        ++position_.epoch;
        position_.minibatch = 0;
        position_.shuffled = -1;
    }
    return run_whole(conclude_, first_concluded());
}

// Runs the rest of the epoch; false: it was asked to stop before the end.
Result<bool> LearningUnit::run_epoch() {
    const bool begins = position_.shuffled < 0;
    if (begins && (position_.epoch == 0 || plan_->train.prepare.value_or("batch") == "epoch")) {
        Result<bool> prepared = run_whole(prepare_, updater_.metrics().size());
        if (!prepared || !*prepared) {
            return prepared;
        }
    }
    if (begins) {
        position_.shuffled = site_.standing.updates;
    }
    minibatches_->shuffle(site_.storage, site_.extent->lengths(), static_cast<std::uint64_t>(position_.shuffled));
    const auto count = static_cast<std::int64_t>(minibatches_->count());
    const std::int64_t accumulate = plan_->train.accumulate;
    for (std::int64_t& first = position_.minibatch; first < count && !position_.stopped; first += accumulate) {
        if (stop_()) {
            return false;
        }
        const auto choose = [&](std::size_t k, std::uint64_t) -> Result<Minibatch> {
            return minibatches_->at(static_cast<std::size_t>(first) + k);
        };
        Result<bool> updated = update(std::min(accumulate, count - first), choose);
        if (!updated || !*updated) {
            return updated;
        }
    }
    return true;
}

// False: it was given up, and nothing has changed except the columns that it writes.
Result<bool> LearningUnit::run_whole(std::optional<WholeBatch>& program, std::size_t first_metric) {
    if (!program) {
        return true;
    }
    GiveUp give_up{.asked = stop_};
    const bool may_give_up = std::int64_t{site_.extent->steps()} * site_.storage.lanes() >= kManyRows;
    if (Status done = program->run(site_.extent->steps(), numbers(), static_cast<std::uint64_t>(site_.standing.updates),
                                   may_give_up ? &give_up : nullptr);
        !done) {
        return std::move(done).error();
    }
    for (std::size_t i = 0; i < program->metrics().size() && !give_up.given_up; ++i) {
        means_.metrics[first_metric + i].add(program->metrics()[i]);
    }
    return !give_up.given_up;
}

void LearningUnit::add_means() {
    for (std::size_t i = 0; i < means_.losses.size(); ++i) {
        means_.losses[i].add_computed(updater_.losses()[i]);
    }
    for (std::size_t i = 0; i < updater_.metrics().size(); ++i) {
        means_.metrics[i].add(updater_.metrics()[i]);
    }
    for (std::size_t i = 0; i < means_.gradient_norms.size(); ++i) {
        means_.gradient_norms[i].add_computed(updater_.gradient_norms()[i]);
    }
}

}  // namespace tenon
