// SPDX-License-Identifier: Apache-2.0
// The learning half of a round: updates on rows that the buffer chooses, or epochs over the batch just collected.
#include <algorithm>
#include <cmath>
#include <string>
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

Status Trainer::build_updates(Executor& executor) {
    const Manifest& manifest = wiring_.manifest;
    const auto seed = static_cast<std::uint64_t>(manifest.run.seed);
    const std::string reader = "objective " + wiring_.objective->component;
    Result<Updater> updater = Updater::make(wiring_.update, reader, wiring_.stages, seed,
                                            static_cast<std::uint32_t>(manifest.train.minibatch), executor, learner_,
                                            wiring_.sampler ? wiring_.sampler->plan() : plan_of_batch(), *storage_);
    if (!updater) {
        return std::move(updater).error();
    }
    updater_.emplace(std::move(*updater));
    sampling_key_ = make_key(seed, "buffer/sample");
    if (wiring_.learns_by_batch()) {
        const std::uint32_t steps = batch_steps(wiring_);
        extent_.emplace(storage_->lanes(), steps, manifest.train.episodes.value_or(0) / manifest.env.lanes);
        minibatches_.emplace(manifest.train, steps, storage_->lanes(), seed);
        const auto whole = [&](const BuiltProgram& built, std::optional<WholeBatch>& out) -> Status {
            if (!built.there()) {
                return {};
            }
            Result<WholeBatch> made = WholeBatch::make(built, reader, seed, steps, executor, learner_, *storage_);
            if (!made) {
                return std::move(made).error();
            }
            out.emplace(std::move(*made));
            return {};
        };
        if (Status made = whole(wiring_.prepare, prepare_); !made) {
            return made;
        }
        if (Status made = whole(wiring_.conclude, conclude_); !made) {
            return made;
        }
    }
    means_.losses.resize(updater_->losses().size());
    means_.metrics.resize(updater_->metrics().size() + (prepare_ ? prepare_->metrics().size() : 0) +
                          (conclude_ ? conclude_->metrics().size() : 0));
    means_.gradient_norms.resize(updater_->gradient_norms().size());
    return {};
}

Status Trainer::learn() {
    if (!updater_) {
        round_ = {};
        return {};
    }
    Status done = minibatches_ ? learn_from_batch() : learn_from_buffer();
    if (!done) {
        done.error().sentence += at_this_update();
    }
    return done;
}

// One update: a step with the mean gradient of several minibatches; choose(k, counter) returns the rows of each. False:
// it was given up and nothing has changed. It can be given up only if choosing the same rows again has no effect.
template <class Choose>
Result<bool> Trainer::update(std::int64_t minibatches, Choose choose) {
    const std::int64_t first = standing_.updates * wiring_.manifest.train.accumulate;
    for (std::int64_t k = 0; k < minibatches; ++k) {
        const auto counter = static_cast<std::uint64_t>(first + k);
        Result<Minibatch> rows = choose(static_cast<std::size_t>(k), counter);
        if (!rows) {
            return std::move(rows).error();
        }
        GiveUp give_up{.asked = stop_};
        const bool may_give_up = minibatches_ && k == 0 && wiring_.manifest.train.minibatch >= kManyRows;
        if (Status done = updater_->run(*rows, numbers(), counter, {.first = k == 0, .last = k + 1 == minibatches},
                                        may_give_up ? &give_up : nullptr);
            !done) {
            return std::move(done).error();
        }
        if (give_up.given_up) {
            return false;
        }
        if (updater_->left_out()) {
            leave_out(*updater_->left_out());
            continue;
        }
        add_means();
        if (Status taken = prioritise(); !taken) {
            return std::move(taken).error();
        }
        round_.stopped = round_.stopped || updater_->stops_epochs();
    }
    count_update();
    return true;
}

void Trainer::leave_out(const Problem& why) {
    if (standing_.left_out++ == 0) {
        Problem warning = why;
        warning.sentence += at_this_update() + "; its minibatch is left out (reported once, then counted)";
        warn(std::move(warning));
    }
}

std::string Trainer::at_this_update() const {
    return " (update " + std::to_string(standing_.updates) + ")";
}

void Trainer::count_update() {
    ++standing_.updates;
    move_schedules();
}

Result<Minibatch> Trainer::choose(std::uint64_t counter) {
    const std::int64_t rows = wiring_.manifest.train.minibatch;
    if (Status chosen = wiring_.sampler->sample(*storage_, static_cast<std::uint32_t>(rows), sampling_key_, counter,
                                                wiring_.sampler_options.now(wiring_.live.values));
        !chosen) {
        return std::move(chosen).error();
    }
    return Minibatch{.rows = wiring_.sampler->sampled(), .sizes = sizes_of_sample()};
}

Sizes Trainer::sizes_of_sample() const {
    const std::int64_t rows = wiring_.manifest.train.minibatch;
    const std::int64_t time = wiring_.sampler->plan().time;
    return time > 0 ? Sizes{.rows = 0, .time = time, .lanes = rows / time} : Sizes{.rows = rows, .time = 0, .lanes = 0};
}

Status Trainer::prioritise() {
    const std::span<const double> priorities = updater_->priorities();
    return priorities.empty()
               ? Status()
               : wiring_.sampler->prioritise(priorities, wiring_.objective->component, wiring_.objective->place);
}

Result<Minibatch> Trainer::next_minibatch() {
    const auto counter = static_cast<std::uint64_t>(standing_.updates);
    if (!minibatches_) {
        return choose(counter);
    }
    stop_ = never_stops;
    if (Result<bool> done = run_whole(prepare_, updater_->metrics().size()); !done) {
        return std::move(done).error();
    }
    minibatches_->shuffle(*storage_, extent_->lengths(), counter);
    if (minibatches_->count() == 0) {
        return input_problem("there is nothing to learn from yet: no episode has been completed");
    }
    return minibatches_->at(0);
}

Result<Minibatch> Trainer::collect_minibatch() {
    const Manifest& manifest = wiring_.manifest;
    Status done = manifest.buffer ? Status() : collect_batch();
    const std::int64_t frames = manifest.buffer ? manifest.train.minibatch + manifest.env.lanes : 0;
    for (std::int64_t had = 0; had < frames && done; had += manifest.env.lanes) {
        done = collect();
    }
    if (!done) {
        return std::move(done).error();
    }
    return next_minibatch();
}

Status Trainer::learn_from_buffer() {
    const TrainTable& train = wiring_.manifest.train;
    if (round_.due < 0) {
        round_.due = standing_.frames < train.start_frames ? 0 : std::max<std::int64_t>(updates_due(), 0);
    }
    const auto chosen = [&](std::size_t, std::uint64_t counter) { return choose(counter); };
    for (; round_.due > 0; --round_.due) {
        if (stop_()) {
            return {};
        }
        if (Result<bool> done = update(train.accumulate, chosen); !done) {
            return std::move(done).error();
        }
    }
    round_ = {};
    return {};
}

std::int64_t Trainer::updates_due() const {
    const TrainTable& train = wiring_.manifest.train;
    if (train.total_updates) {
        return 1;
    }
    if (train.updates_per_frame) {
        const double wanted = *train.updates_per_frame * static_cast<double>(standing_.frames - train.start_frames);
        return static_cast<std::int64_t>(std::floor(wanted)) - standing_.updates;
    }
    return train.updates_per_batch.value_or(1);
}

Status Trainer::learn_from_batch() {
    const TrainTable& train = wiring_.manifest.train;
    const std::size_t after_update = updater_->metrics().size();
    while (round_.epoch < train.epochs.value_or(1) && !round_.stopped) {
        if (stop_()) {
            return {};
        }
        const Result<bool> ended = run_epoch();
        if (!ended) {
            return ended.error();
        }
        if (!*ended) {
            return {};
        }
        ++round_.epoch;
        round_.minibatch = 0;
        round_.shuffled = -1;
    }
    Result<bool> concluded = run_whole(conclude_, after_update + (prepare_ ? prepare_->metrics().size() : 0));
    if (!concluded || !*concluded) {
        return concluded ? Status() : std::move(concluded).error();
    }
    storage_->rewind();
    round_ = {};
    return {};
}

// Runs the rest of the epoch; false: it was asked to stop before the end.
Result<bool> Trainer::run_epoch() {
    const bool begins = round_.shuffled < 0;
    if (begins && (round_.epoch == 0 || wiring_.manifest.train.prepare.value_or("batch") == "epoch")) {
        Result<bool> prepared = run_whole(prepare_, updater_->metrics().size());
        if (!prepared || !*prepared) {
            return prepared;
        }
    }
    if (begins) {
        round_.shuffled = standing_.updates;
    }
    minibatches_->shuffle(*storage_, extent_->lengths(), static_cast<std::uint64_t>(round_.shuffled));
    const auto count = static_cast<std::int64_t>(minibatches_->count());
    const std::int64_t accumulate = wiring_.manifest.train.accumulate;
    for (std::int64_t& first = round_.minibatch; first < count && !round_.stopped; first += accumulate) {
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
Result<bool> Trainer::run_whole(std::optional<WholeBatch>& program, std::size_t first_metric) {
    if (!program) {
        return true;
    }
    GiveUp give_up{.asked = stop_};
    const bool may_give_up = std::int64_t{extent_->steps()} * storage_->lanes() >= kManyRows;
    if (Status done = program->run(extent_->steps(), numbers(), static_cast<std::uint64_t>(standing_.updates),
                                   may_give_up ? &give_up : nullptr);
        !done) {
        return std::move(done).error();
    }
    for (std::size_t i = 0; i < program->metrics().size() && !give_up.given_up; ++i) {
        means_.metrics[first_metric + i].add(program->metrics()[i]);
    }
    return !give_up.given_up;
}

void Trainer::add_means() {
    for (std::size_t i = 0; i < means_.losses.size(); ++i) {
        means_.losses[i].add_computed(updater_->losses()[i]);
    }
    for (std::size_t i = 0; i < updater_->metrics().size(); ++i) {
        means_.metrics[i].add(updater_->metrics()[i]);
    }
    for (std::size_t i = 0; i < means_.gradient_norms.size(); ++i) {
        means_.gradient_norms[i].add_computed(updater_->gradient_norms()[i]);
    }
}

void Trainer::forget_means() {
    for (auto* means : {&means_.losses, &means_.metrics, &means_.gradient_norms}) {
        std::fill(means->begin(), means->end(), Mean{});
    }
}

}  // namespace tenon
