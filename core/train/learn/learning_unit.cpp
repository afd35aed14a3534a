// SPDX-License-Identifier: Apache-2.0
#include "train/learn/learning_unit.hpp"

#include <algorithm>
#include <cmath>

#include "config/manifest/shards.hpp"

namespace tenon {

// The index of the first mean of conclude: these follow those of the update and of prepare.
std::size_t LearningUnit::first_concluded() const {
    return updater_.metrics().size() + plan_->prepare.graph.metrics.size();
}

Result<bool> LearningUnit::learn(StopAsked stop, std::int64_t until) {
    stop_ = stop;
    until_ = until;
    if (progress_->round.due < 0) {
        TENON_TRY(store_new());
    }
    if (progress_->rounds % plan_->every != 0) {
        ++progress_->rounds;
        return true;
    }
    Result<bool> ended = minibatches_ ? learn_from_batch() : learn_from_buffer();
    if (Status settled = ended ? settle() : Status(); !settled) {
        ended = std::move(settled).error();
    }
    if (!ended) {
        Problem problem = std::move(ended).error();
        const std::string at = at_this_update();
        problem.sentence += problem.sentence.ends_with(at) ? "" : at;  // another shard has said it of the same update
        return problem;
    }
    if (*ended) {
        progress_->round = {};
        ++progress_->rounds;
    }
    return ended;
}

// One update: a step with the mean gradient of several minibatches; choose(k, counter) returns the rows of each. False:
// it was given up and nothing has changed. It can be given up only if choosing the same rows again has no effect.
template <class Choose>
Result<bool> LearningUnit::update(std::int64_t minibatches, Choose choose) {
    const std::int64_t first = progress_->updates * plan_->train.accumulate;
    for (std::int64_t k = 0; k < minibatches; ++k) {
        const auto counter = static_cast<std::uint64_t>(first + k);
        GiveUp give_up{.asked = stop_};
        const bool may_give_up = minibatches_ && k == 0 && plan_->train.minibatch >= kManyRows;
        Call call{.numbers = numbers(),
                  .random = {.counter = counter, .first_row = first_row()},
                  .part = {.first = k == 0, .last = k + 1 == minibatches},
                  .give_up = may_give_up ? &give_up : nullptr,
                  .exchange = site_.exchange};
        Status done;
        if (prefetch_ != nullptr) {
            call.sizes = TENON_TRY(take_prepared(counter));
            begin_next(counter, call.part.last);
            done = updater_.run_gathered(call);
        } else {
            ChosenRows rows = TENON_TRY(choose(static_cast<std::size_t>(k), counter));
            done = updater_.run(rows, call);
        }
        if (!done) {
            Status earlier = settle();  // a problem of an earlier update comes first
            return std::move(earlier ? done : earlier).error();
        }
        if (give_up.given_up) {
            return false;
        }
        if (updater_.left_out()) {
            leave_out(*updater_.left_out());
            // another shard, whose minibatch counts, reads the same control
            progress_->round.stopped =
                progress_->round.stopped || (site_.exchange != nullptr && updater_.stops_epochs());
            continue;
        }
        TENON_TRY(prioritise());
        if (!updater_.is_told()) {
            last_untold_ = first + k;
            TENON_TRY(updater_.unsettled() < kMostLater ? Status() : settle());
            continue;
        }
        add_means();
        progress_->round.stopped = progress_->round.stopped || updater_.stops_epochs();
        // updates that are reported later, if that has changed; it overwrites this one's losses and metrics
        TENON_TRY(settle());
    }
    count_update();
    if (site_.updated) {
        TENON_TRY(site_.updated());
    }
    return true;
}

// A problem belongs to the first minibatch whose results have not been reported. Such minibatches follow each other,
// because reporting one also reports all earlier ones.
Status LearningUnit::settle() {
    std::int64_t untold = static_cast<std::int64_t>(updater_.unsettled());
    if (untold == 0) {
        return {};
    }
    if (site_.meanwhile) {
        site_.meanwhile();
    }
    Status settled = updater_.settle([&] {
        add_means();
        --untold;
    });
    if (!settled) {
        failed_ = (last_untold_ - untold + 1) / plan_->train.accumulate;
    }
    return settled;
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
    return " (update " + std::to_string(failed_.value_or(progress_->updates)) + ")";
}

void LearningUnit::count_update() {
    ++progress_->updates;
    ++site_.standing.updates;
    if (!site_.async) {
        move_schedules(site_.wiring.live, site_.standing, site_.live);
    }
}

// The rows of a minibatch of all shards are numbered by shard.
std::uint64_t LearningUnit::first_row() const {
    return static_cast<std::uint64_t>(shard_of(site_.wiring.manifest) * plan_->train.minibatch);
}

// Schedules follow the updates of all units, programs those of their own unit.
RunNumbers LearningUnit::numbers() const {
    RunNumbers out = numbers_at(site_.wiring, site_.standing, site_.live);
    out.updates = static_cast<double>(progress_->updates);
    return out;
}

namespace {

// How many steps before the newest one episodes begin that have ended in the newest `steps`; at least `steps`.
std::uint32_t steps_of_ended(const Storage& storage, std::uint32_t steps) {
    const auto ended = [&](std::uint32_t lane, std::uint32_t back) {
        return storage.flags().ended(storage.slot_back(back), lane);
    };
    std::uint32_t most = steps;
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const std::uint32_t held = storage.ring().count(lane);
        std::uint32_t back = std::min(steps, held);  // of the first end among the new steps
        while (back > 0 && !ended(lane, back)) {
            --back;
        }
        if (back > 0) {
            std::uint32_t begin = std::min(steps, held);
            while (begin < held && !ended(lane, begin + 1)) {
                ++begin;
            }
            most = std::max(most, begin);
        }
    }
    return most;
}

}  // namespace

// Stores the columns of one round's frames. The first call also has the frames with which the buffer began.
Status LearningUnit::store_new() {
    if (!stores()) {
        return {};
    }
    Storage& storage = *site_.storages[*plan_->batches.front().buffer];
    const std::uint64_t appended = storage.view().appended;
    auto steps = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(appended - progress_->stored, std::max(storage.ring().live_slots(), 1U) - 1));
    progress_->stored = appended;
    if (steps == 0) {
        return {};
    }
    steps = plan_->stores_episodes ? steps_of_ended(storage, steps) : steps;
    storage.backing().rewrite_from(appended - steps);
    if (plan_->prepare.varies ? stored_steps_ < steps : stored_steps_ != steps) {
        prepare_.emplace(TENON_TRY(make_whole(plan_->prepare, steps)));
        stored_steps_ = steps;
    }
    const Timed timed(site_.profile, preparing_);
    Status done =
        prepare_->run(storage.slot_back(steps), steps, numbers(), static_cast<std::uint64_t>(progress_->updates));
    for (std::size_t i = 0; done && i < prepare_->metrics().size(); ++i) {
        means_.metrics[updater_.metrics().size() + i].add(prepare_->metrics()[i]);
    }
    return done;
}

Result<ChosenRows> LearningUnit::next_minibatch() {
    const auto counter = static_cast<std::uint64_t>(progress_->updates);
    if (!minibatches_) {
        TENON_TRY(store_new());
        return choose(counter);
    }
    stop_ = never_stops;
    TENON_TRY(run_whole(prepare_, updater_.metrics().size()));
    TENON_TRY(minibatches_->shuffle(site_.storage, site_.extent->lengths(), counter));
    if (minibatches_->count() == 0) {
        return input_problem("there is nothing to learn from yet: no episode has been completed");
    }
    return choose_of_batch(0, counter);
}

Result<bool> LearningUnit::learn_from_buffer() {
    const TrainTable& train = plan_->train;
    if (progress_->round.due < 0) {
        progress_->round.due = updates_due();
    }
    const auto by_counter = [&](std::size_t, std::uint64_t counter) { return choose(counter); };
    for (; progress_->round.due > 0; --progress_->round.due) {
        if (site_.standing.updates >= until_) {
            return false;  // the prefetched rows stay
        }
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

// A writer that keeps whole episodes has no frame before the first one has ended.
bool LearningUnit::keeps_nothing_yet() const {
    return std::ranges::any_of(feeds_, [](const Feed& feed) {
        return feed.storage->arrangement() != nullptr && feed.storage->view().total == 0;
    });
}

std::int64_t LearningUnit::updates_left() const {
    if (progress_->rounds % plan_->every != 0) {
        return 0;
    }
    return progress_->round.due < 0 ? updates_due() : progress_->round.due;
}

std::int64_t LearningUnit::updates_due() const {
    const bool waits = site_.standing.frames < plan_->train.start_frames || keeps_nothing_yet();
    return waits ? 0 : std::max<std::int64_t>(updates_by_pace(), 0);
}

std::int64_t LearningUnit::updates_by_pace() const {
    const TrainTable& train = plan_->train;
    if (train.total_updates) {
        return 1;
    }
    if (train.updates_per_frame) {
        const double wanted =
            *train.updates_per_frame * static_cast<double>(site_.standing.frames - train.start_frames);
        return static_cast<std::int64_t>(std::floor(wanted)) - progress_->updates;
    }
    return train.updates_per_batch.value_or(1);
}

Result<bool> LearningUnit::learn_from_batch() {
    while (progress_->round.epoch < plan_->train.epochs.value_or(1) && !progress_->round.stopped) {
        if (stop_()) {
            return false;
        }
        Result<bool> ended = run_epoch();
        if (!ended || !*ended) {
            return ended;
        }
        ++progress_->round.epoch;
        progress_->round.minibatch = 0;
        progress_->round.shuffled = -1;
    }
    return run_whole(conclude_, first_concluded());
}

// Runs the rest of the epoch; false: it was asked to stop before the end.
Result<bool> LearningUnit::run_epoch() {
    const bool begins = progress_->round.shuffled < 0;
    if (begins && (progress_->round.epoch == 0 || plan_->train.prepare.value_or("batch") == "epoch")) {
        Result<bool> prepared = run_whole(prepare_, updater_.metrics().size());
        if (!prepared || !*prepared) {
            return prepared;
        }
    }
    if (begins) {
        progress_->round.shuffled = progress_->updates;
    }
    if (begins && progress_->round.epoch == 0) {
        minibatches_->begin_batch();
    }
    TENON_TRY(minibatches_->shuffle(site_.storage, site_.extent->lengths(),
                                    static_cast<std::uint64_t>(progress_->round.shuffled)));
    const auto count = static_cast<std::int64_t>(minibatches_->count());
    const std::int64_t accumulate = plan_->train.accumulate;
    const std::int64_t updates = (count + accumulate - 1) / accumulate;
    for (std::int64_t k = 1; k <= kPrefetchedEpochs; ++k) {
        const auto later = static_cast<std::uint64_t>(progress_->round.shuffled + k * updates);
        TENON_TRY(minibatches_->begin_shuffle(later));
    }
    for (std::int64_t& first = progress_->round.minibatch; first < count && !progress_->round.stopped;
         first += accumulate) {
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
    TENON_TRY(program->run(0, site_.extent->steps(), numbers(), static_cast<std::uint64_t>(progress_->updates),
                           may_give_up ? &give_up : nullptr));
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
