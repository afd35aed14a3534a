// SPDX-License-Identifier: Apache-2.0
// The rows of a unit's minibatches. Samplers choose them, now or in the background (prefetch.hpp); or they are part of
// the collected batch.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/error/listed.hpp"
#include "compute/exec/rows.hpp"
#include "train/learn/learning_unit.hpp"

namespace tenon {
namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max() / 2;

}  // namespace

// Preparing rows changes nothing of the run, and their draws depend only on the counter. So they may be prefetched,
// dropped, and prepared once more after a stop: the minibatch is the same.
Result<Sizes> LearningUnit::prepare_prefetched(std::uint64_t counter) {
    const std::int64_t rows = plan_->train.minibatch;
    TENON_TRY(choose_of_feeds(rows, counter));
    const ChosenRows of = chosen(rows, counter);
    TENON_TRY(updater_.prefetch(of));
    return of.sizes;
}

Result<Sizes> LearningUnit::take_prepared(std::uint64_t counter) {
    const Timed timed(site_.profile, waiting_);
    std::optional<Result<Sizes>> prefetched = prefetch_->take(counter);
    Result<Sizes> sizes = prefetched ? std::move(*prefetched) : prepare_prefetched(counter);
    if (sizes) {
        updater_.take_prefetched();
    }
    return sizes;
}

// Prefetches only minibatches of this round, because the next ones may use frames that are not collected yet. A run
// that only learns has all its frames.
void LearningUnit::begin_next(std::uint64_t counter, bool is_last) {
    if (!is_last || progress_->round.due > 1 || plan_->train.total_updates) {
        prefetch_->begin(
            [](void* self, std::uint64_t next) { return static_cast<LearningUnit*>(self)->prepare_prefetched(next); },
            this, counter + 1);
    }
}

Status LearningUnit::sample_feeds(std::int64_t rows, std::uint64_t counter) {
    const Timed timed(site_.profile, sampling_);
    return choose_of_feeds(rows, counter);
}

// Chooses rows of every buffer. Rows of the collected batch come before them.
Status LearningUnit::choose_of_feeds(std::int64_t rows, std::uint64_t counter) {
    const std::size_t before = rows_.size() - feeds_.size();
    for (std::size_t i = 0; i < feeds_.size(); ++i) {
        Feed& feed = feeds_[i];
        const std::uint32_t count = feed.count == 0 ? static_cast<std::uint32_t>(rows) : feed.count;
        TENON_TRY(feed.sampler.sample(*feed.storage, count, feed.key, counter, feed.options.now(site_.live)));
        rows_[before + i] = feed.sampler.sampled();
    }
    return {};
}

Status LearningUnit::reserve(std::int64_t rows) {
    const std::int64_t time = std::max<std::int64_t>(feeds_.front().sampler.plan().time, 1);
    if (rows < 1 || rows > kMostRows || rows % time != 0) {
        return input_problem("a sample cannot have " + counted(rows, "row") +
                             (time > 1 ? ": they are sequences of " + counted(time, "step") : std::string()));
    }
    for (Feed& feed : feeds_) {
        if (feed.count != 0 && rows != plan_->train.minibatch) {
            return input_problem("a sample of a mixture has the " + counted(plan_->train.minibatch, "row") +
                                 " of train.minibatch, not " + std::to_string(rows));
        }
        TENON_TRY(feed.count == 0 ? feed.sampler.reserve(static_cast<std::uint32_t>(rows)) : Status());
    }
    return updater_.reserve(static_cast<std::uint32_t>(rows));
}

Result<ChosenRows> LearningUnit::choose(std::uint64_t counter, std::int64_t rows) {
    TENON_TRY(sample_feeds(rows, counter));
    return chosen(rows, counter);
}

ChosenRows LearningUnit::chosen(std::int64_t rows, std::uint64_t counter) const {
    const std::int64_t time = feeds_.front().sampler.plan().time;
    return ChosenRows{.parts = rows_,
                      .sizes = time > 0 ? Sizes{.rows = 0, .time = time, .lanes = rows / time}
                                        : Sizes{.rows = rows, .time = 0, .lanes = 0},
                      .number = counter};
}

Result<ChosenRows> LearningUnit::choose_of_batch(std::size_t number, std::uint64_t counter) {
    const Minibatch minibatch = minibatches_->at(number);
    rows_.front() = minibatch.rows;
    TENON_TRY(sample_feeds(static_cast<std::int64_t>(row_count(minibatch.sizes)), counter));
    return ChosenRows{.parts = rows_, .sizes = minibatch.sizes, .number = counter};
}

Status LearningUnit::prioritise() {
    const auto burn_in = static_cast<std::uint32_t>(plan_->train.burn_in);
    if (updater_.prioritises_on_device()) {
        return feeds_.front().sampler.prioritise_on_device(static_cast<std::uint32_t>(plan_->train.minibatch), burn_in);
    }
    const std::span<const double> priorities = updater_.priorities();
    for (Feed& feed : feeds_) {
        if (priorities.empty() || !feed.prefix.empty() || !feed.sampler.takes_priorities()) {
            continue;
        }
        const std::span<const double> own = feed.count == 0 ? priorities : priorities.subspan(feed.first, feed.count);
        TENON_TRY(feed.sampler.prioritise(own, plan_->unit.component, plan_->unit.place, burn_in));
    }
    return {};
}

void LearningUnit::drop_prepared() {
    if (prefetch_ != nullptr) {
        prefetch_->drop();
    }
}

}  // namespace tenon
