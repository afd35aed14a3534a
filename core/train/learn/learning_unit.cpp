// SPDX-License-Identifier: Apache-2.0
#include "train/learn/learning_unit.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "base/random/key.hpp"
#include "compute/exec/rows.hpp"
#include "train/plan/row_transforms.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max() / 2;

// The gather plan of a collected batch: every column directly at its row.
SamplerPlan plan_of_batch() {
    return {.sampler = "the collected batch", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
}

// The stream of random numbers of a sampler: that of a run's only buffer, or one of its own.
std::string stream_of(const ObjectivePlan& plan, const BatchPlan& batch, const BufferPlan& buffer) {
    return buffer.table->name.empty() ? std::string("buffer/sample")
                                      : "buffer/sample/" + plan.name + "/" + batch.prefix + buffer.table->name;
}

// The sampler of a buffer, for rows first .. first + count - 1 of every minibatch (count 0: all).
Result<Feed> make_feed(const ObjectivePlan& plan, const LearningUnit::Site& site, const BatchPlan& batch,
                       std::size_t buffer, std::uint32_t first, std::uint32_t count) {
    const BufferPlan& of = site.wiring.buffers[buffer];
    const auto seed = static_cast<std::uint64_t>(site.wiring.manifest.run.seed);
    Result<Instance> instance = instantiate(*of.part, 0, seed, "");
    if (!instance) {
        return std::move(instance).error();
    }
    const auto rows = static_cast<std::uint32_t>(plan.train.minibatch);
    Result<Sampler> sampler = Sampler::make(std::move(*instance), count == 0 ? rows : count, site.wiring.device);
    if (!sampler) {
        return std::move(sampler).error();
    }
    Result<std::vector<RowTransform>> transforms = make_row_transforms(site.wiring, of, count == 0 ? rows : count);
    if (!transforms) {
        return std::move(transforms).error();
    }
    return Feed{.buffer = buffer,
                .prefix = batch.prefix,
                .sampler = std::move(*sampler),
                .options = of.options,
                .storage = site.storages[buffer],
                .key = make_key(seed, stream_of(plan, batch, of)),
                .first = first,
                .count = count,
                .transforms = std::move(*transforms)};
}

// A mixture has a feed for each of its buffers; their rows follow each other.
Status add_feeds(const ObjectivePlan& plan, const LearningUnit::Site& site, const BatchPlan& batch,
                 std::vector<Feed>& out) {
    const BufferPlan& buffer = site.wiring.buffers[*batch.buffer];
    const auto add = [&](std::size_t index, std::uint32_t first, std::uint32_t count) -> Status {
        Result<Feed> feed = make_feed(plan, site, batch, index, first, count);
        if (!feed) {
            return std::move(feed).error();
        }
        out.push_back(std::move(*feed));
        return {};
    };
    if (buffer.mixed.empty()) {
        return add(*batch.buffer, 0, 0);
    }
    const std::vector<std::uint32_t> counts = rows_of_mixture(*buffer.table, plan.train.minibatch);
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (Status added = add(buffer.mixed[i], first, counts[i]); !added) {
            return added;
        }
        first += counts[i];
    }
    return {};
}

}  // namespace

Result<LearningUnit> LearningUnit::make(ObjectivePlan& plan, const Site& site, Executor& executor, Learner& learner) {
    const auto seed = static_cast<std::uint64_t>(site.wiring.manifest.run.seed);
    const SamplerPlan batch = plan_of_batch();
    std::vector<Feed> feeds;
    std::vector<RowSource> sources;
    if (plan.by_batch()) {
        sources.push_back({.prefix = {}, .plan = &batch, .storage = &site.storage});
    }
    for (const BatchPlan& from : plan.batches) {
        if (Status added = from.buffer ? add_feeds(plan, site, from, feeds) : Status(); !added) {
            return std::move(added).error();
        }
    }
    for (Feed& feed : feeds) {
        sources.push_back({.prefix = feed.prefix,
                           .plan = &feed.sampler.plan(),
                           .storage = feed.storage,
                           .first = feed.first,
                           .count = feed.count,
                           .transforms = &feed.transforms});
    }
    const bool prefetches = !plan.by_batch() && plan.prefetches;
    std::deque<std::vector<RowTransform>> again;  // of the rows that are prepared ahead
    std::vector<RowSource> ahead = prefetches ? sources : std::vector<RowSource>();
    for (std::size_t i = 0; i < ahead.size(); ++i) {
        Result<std::vector<RowTransform>> made = make_row_transforms(
            site.wiring, site.wiring.buffers[feeds[i].buffer],
            feeds[i].count == 0 ? static_cast<std::uint32_t>(plan.train.minibatch) : feeds[i].count);
        if (!made) {
            return std::move(made).error();
        }
        ahead[i].transforms = &again.emplace_back(std::move(*made));
    }
    Result<Updater> updater =
        Updater::make(plan.update, "objective " + plan.unit.component, plan.stages, seed,
                      static_cast<std::uint32_t>(plan.train.minibatch), executor, learner, sources, ahead);
    if (!updater) {
        return std::move(updater).error();
    }
    LearningUnit out(plan, site, executor, learner, std::move(feeds), std::move(*updater));
    out.rows_.resize(sources.size());
    if (prefetches) {
        out.prefetch_ = std::make_unique<Prefetch>();
    }
    if (Status built = out.build(); !built) {
        return std::move(built).error();
    }
    return out;
}

Result<WholeBatch> LearningUnit::make_whole(const BuiltProgram& built, std::uint32_t steps) {
    const Storage& frames = plan_->by_batch() ? site_.storage : *site_.storages[*plan_->batches.front().buffer];
    return WholeBatch::make(built, "objective " + plan_->unit.component,
                            static_cast<std::uint64_t>(site_.wiring.manifest.run.seed), steps, *executor_, *learner_,
                            frames);
}

Status LearningUnit::build() {
    if (site_.profile != nullptr) {
        sampling_ = site_.profile->span(Work::kSampling);
        preparing_ = site_.profile->span(Work::kPreparing);
        waiting_ = prefetch_ != nullptr ? site_.profile->span(Work::kGathering, "waiting for the minibatch") : 0;
        updater_.measure(site_.profile);
    }
    const auto seed = static_cast<std::uint64_t>(site_.wiring.manifest.run.seed);
    if (plan_->by_batch()) {
        const std::uint32_t steps = batch_steps(site_.wiring);
        minibatches_.emplace(plan_->train, steps, site_.storage.lanes(), seed);
        const auto whole = [&](const BuiltProgram& built, std::optional<WholeBatch>& out) -> Status {
            if (!built.there()) {
                return {};
            }
            Result<WholeBatch> made = make_whole(built, steps);
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
    return updater_.metrics().size() + plan_->prepare.graph.metrics.size();
}

Result<bool> LearningUnit::learn(StopAsked stop) {
    stop_ = stop;
    if (position_.due < 0) {
        if (Status stored = store_new(); !stored) {
            return std::move(stored).error();
        }
    }
    if (counters_.rounds % plan_->every != 0) {
        ++counters_.rounds;
        return true;
    }
    Result<bool> ended = minibatches_ ? learn_from_batch() : learn_from_buffer();
    if (!ended) {
        Problem problem = std::move(ended).error();
        problem.sentence += at_this_update();
        return problem;
    }
    if (*ended) {
        position_ = {};
        ++counters_.rounds;
    }
    return ended;
}

// One update: a step with the mean gradient of several minibatches; choose(k, counter) returns the rows of each. False:
// it was given up and nothing has changed. It can be given up only if choosing the same rows again has no effect.
template <class Choose>
Result<bool> LearningUnit::update(std::int64_t minibatches, Choose choose) {
    const std::int64_t first = counters_.updates * plan_->train.accumulate;
    for (std::int64_t k = 0; k < minibatches; ++k) {
        const auto counter = static_cast<std::uint64_t>(first + k);
        const StepPart part{.first = k == 0, .last = k + 1 == minibatches};
        GiveUp give_up{.asked = stop_};
        const bool may_give_up = minibatches_ && k == 0 && plan_->train.minibatch >= kManyRows;
        Status done;
        if (prefetch_ != nullptr) {
            const Result<Sizes> sizes = take_prepared(counter);
            if (!sizes) {
                return sizes.error();
            }
            begin_next(counter, part.last);
            done = updater_.run_gathered(*sizes, numbers(), counter, part);
        } else {
            Result<ChosenRows> rows = choose(static_cast<std::size_t>(k), counter);
            if (!rows) {
                return std::move(rows).error();
            }
            done = updater_.run(*rows, numbers(), counter, part, may_give_up ? &give_up : nullptr);
        }
        if (!done) {
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
    if (site_.updated) {
        if (Status heard = site_.updated(); !heard) {
            return std::move(heard).error();
        }
    }
    return true;
}

void LearningUnit::leave_out(const Problem& why) {
    if (site_.standing.left_out++ == 0) {
        Problem warning = why;
        warning.sentence +=
            at_this_update() + "; its minibatch is left out (reported once, then counted)" + at_frame(site_.standing);
        site_.warnings.push_back(std::move(warning));
    }
}

std::string LearningUnit::at_this_update() const {
    return " (update " + std::to_string(counters_.updates) + ")";
}

void LearningUnit::count_update() {
    ++counters_.updates;
    ++site_.standing.updates;
    if (!site_.beside) {
        move_schedules(site_.wiring, site_.standing);
    }
}

// Schedules follow the updates of all units, programs those of their own.
RunNumbers LearningUnit::numbers() const {
    RunNumbers out = numbers_at(site_.wiring, site_.standing);
    out.updates = static_cast<double>(counters_.updates);
    return out;
}

// Nothing of the run is changed by preparing rows, and their draws depend on the counter alone: so it does not matter
// whether they are prepared ahead, or again after a stop.
Result<Sizes> LearningUnit::prepare_ahead(std::uint64_t counter) {
    const std::int64_t rows = plan_->train.minibatch;
    Status done = choose_of_feeds(rows, counter);
    const ChosenRows of = chosen(rows);
    if (done) {
        done = updater_.gather_ahead(of);
    }
    return done ? Result<Sizes>(of.sizes) : Result<Sizes>(std::move(done).error());
}

Result<Sizes> LearningUnit::take_prepared(std::uint64_t counter) {
    const Timed timed(site_.profile, waiting_);
    std::optional<Result<Sizes>> there = prefetch_->take(counter);
    Result<Sizes> sizes = there ? std::move(*there) : prepare_ahead(counter);
    if (sizes) {
        updater_.take_ahead();
    }
    return sizes;
}

// Only what this round will use: the frames of the next one are not there. A run that only learns has all its frames.
void LearningUnit::begin_next(std::uint64_t counter, bool is_last) {
    if (!is_last || position_.due > 1 || plan_->train.total_updates) {
        prefetch_->begin(
            [](void* self, std::uint64_t next) { return static_cast<LearningUnit*>(self)->prepare_ahead(next); }, this,
            counter + 1);
    }
}

Status LearningUnit::sample_feeds(std::int64_t rows, std::uint64_t counter) {
    const Timed timed(site_.profile, sampling_);
    return choose_of_feeds(rows, counter);
}

// Rows of every buffer; those of the collected batch come before them.
Status LearningUnit::choose_of_feeds(std::int64_t rows, std::uint64_t counter) {
    const std::size_t before = rows_.size() - feeds_.size();
    for (std::size_t i = 0; i < feeds_.size(); ++i) {
        Feed& feed = feeds_[i];
        const std::uint32_t count = feed.count == 0 ? static_cast<std::uint32_t>(rows) : feed.count;
        if (Status chosen = feed.sampler.sample(*feed.storage, count, feed.key, counter,
                                                feed.options.now(site_.wiring.live.values));
            !chosen) {
            return chosen;
        }
        rows_[before + i] = feed.sampler.sampled();
    }
    return {};
}

Status LearningUnit::reserve(std::int64_t rows) {
    const std::int64_t time = std::max<std::int64_t>(feeds_.front().sampler.plan().time, 1);
    if (rows < 1 || rows > kMostRows || rows % time != 0) {
        return input_problem("a sample cannot have " + std::to_string(rows) + " rows" +
                             (time > 1 ? ": they are sequences of " + std::to_string(time) + " steps" : std::string()));
    }
    for (Feed& feed : feeds_) {
        if (feed.count != 0 && rows != plan_->train.minibatch) {
            return input_problem("a sample of a mixture has the " + std::to_string(plan_->train.minibatch) +
                                 " rows of train.minibatch, not " + std::to_string(rows));
        }
        if (Status room = feed.count == 0 ? feed.sampler.reserve(static_cast<std::uint32_t>(rows)) : Status(); !room) {
            return room;
        }
    }
    return updater_.reserve(static_cast<std::uint32_t>(rows));
}

Result<ChosenRows> LearningUnit::choose(std::uint64_t counter, std::int64_t rows) {
    if (Status chosen = sample_feeds(rows, counter); !chosen) {
        return std::move(chosen).error();
    }
    return chosen(rows);
}

ChosenRows LearningUnit::chosen(std::int64_t rows) const {
    const std::int64_t time = feeds_.front().sampler.plan().time;
    return ChosenRows{.parts = rows_,
                      .sizes = time > 0 ? Sizes{.rows = 0, .time = time, .lanes = rows / time}
                                        : Sizes{.rows = rows, .time = 0, .lanes = 0}};
}

Result<ChosenRows> LearningUnit::choose_of_batch(std::size_t number, std::uint64_t counter) {
    const Minibatch minibatch = minibatches_->at(number);
    rows_.front() = minibatch.rows;
    if (Status chosen = sample_feeds(static_cast<std::int64_t>(row_count(minibatch.sizes)), counter); !chosen) {
        return std::move(chosen).error();
    }
    return ChosenRows{.parts = rows_, .sizes = minibatch.sizes};
}

// These are the frames of one round. The first call also has the frames with which the buffer began.
Status LearningUnit::store_new() {
    if (!stores()) {
        return {};
    }
    Storage& storage = *site_.storages[*plan_->batches.front().buffer];
    const std::uint64_t appended = storage.view().appended;
    const auto steps = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(appended - counters_.stored, std::max(storage.live_slots(), 1U) - 1));
    counters_.stored = appended;
    if (steps == 0) {
        return {};
    }
    storage.unmark(appended - steps);
    if (stored_steps_ != steps) {
        Result<WholeBatch> made = make_whole(plan_->prepare, steps);
        if (!made) {
            return std::move(made).error();
        }
        prepare_.emplace(std::move(*made));
        stored_steps_ = steps;
    }
    const Timed timed(site_.profile, preparing_);
    Status done =
        prepare_->run(storage.slot_back(steps), steps, numbers(), static_cast<std::uint64_t>(counters_.updates));
    for (std::size_t i = 0; done && i < prepare_->metrics().size(); ++i) {
        means_.metrics[updater_.metrics().size() + i].add(prepare_->metrics()[i]);
    }
    return done;
}

Status LearningUnit::prioritise() {
    const std::span<const double> priorities = updater_.priorities();
    for (Feed& feed : feeds_) {
        if (priorities.empty() || !feed.prefix.empty() || !feed.sampler.takes_priorities()) {
            continue;
        }
        const std::span<const double> own = feed.count == 0 ? priorities : priorities.subspan(feed.first, feed.count);
        if (Status taken = feed.sampler.prioritise(own, plan_->unit.component, plan_->unit.place,
                                                   static_cast<std::uint32_t>(plan_->train.burn_in));
            !taken) {
            return taken;
        }
    }
    return {};
}

Result<ChosenRows> LearningUnit::next_minibatch() {
    const auto counter = static_cast<std::uint64_t>(counters_.updates);
    if (!minibatches_) {
        Status stored = store_new();
        return stored ? choose(counter) : std::move(stored).error();
    }
    stop_ = never_stops;
    if (Result<bool> done = run_whole(prepare_, updater_.metrics().size()); !done) {
        return std::move(done).error();
    }
    minibatches_->shuffle(site_.storage, site_.extent->lengths(), counter);
    if (minibatches_->count() == 0) {
        return input_problem("there is nothing to learn from yet: no episode has been completed");
    }
    return choose_of_batch(0, counter);
}

Result<bool> LearningUnit::learn_from_buffer() {
    const TrainTable& train = plan_->train;
    if (position_.due < 0) {
        const bool waits = site_.standing.frames < train.start_frames || keeps_nothing_yet();
        position_.due = waits ? 0 : std::max<std::int64_t>(updates_due(), 0);
    }
    const auto by_counter = [&](std::size_t, std::uint64_t counter) { return choose(counter); };
    for (; position_.due > 0; --position_.due) {
        if (stop_()) {
            drop_prepared();
            return false;
        }
        if (Result<bool> done = update(train.accumulate, by_counter); !done) {
            drop_prepared();
            return done;
        }
    }
    return true;
}

// A writer that keeps episodes has no frame before the first one has ended.
bool LearningUnit::keeps_nothing_yet() const {
    return std::ranges::any_of(feeds_, [](const Feed& feed) {
        return feed.storage->arrangement() != nullptr && feed.storage->view().total == 0;
    });
}

void LearningUnit::drop_prepared() {
    if (prefetch_ != nullptr) {
        prefetch_->drop();
    }
}

std::int64_t LearningUnit::updates_due() const {
    const TrainTable& train = plan_->train;
    if (train.total_updates) {
        return 1;
    }
    if (train.updates_per_frame) {
        const double wanted =
            *train.updates_per_frame * static_cast<double>(site_.standing.frames - train.start_frames);
        return static_cast<std::int64_t>(std::floor(wanted)) - counters_.updates;
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
        position_.shuffled = counters_.updates;
    }
    minibatches_->shuffle(site_.storage, site_.extent->lengths(), static_cast<std::uint64_t>(position_.shuffled));
    const auto count = static_cast<std::int64_t>(minibatches_->count());
    const std::int64_t accumulate = plan_->train.accumulate;
    for (std::int64_t& first = position_.minibatch; first < count && !position_.stopped; first += accumulate) {
        if (stop_()) {
            return false;
        }
        const auto choose = [&](std::size_t k, std::uint64_t counter) {
            return choose_of_batch(static_cast<std::size_t>(first) + k, counter);
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
    const Timed timed(site_.profile, preparing_);
    GiveUp give_up{.asked = stop_};
    const bool may_give_up = std::int64_t{site_.extent->steps()} * site_.storage.lanes() >= kManyRows;
    if (Status done = program->run(0, site_.extent->steps(), numbers(), static_cast<std::uint64_t>(counters_.updates),
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
