// SPDX-License-Identifier: Apache-2.0
// Makes a learning unit: its samplers, its updater, and the programs of a whole batch.
#include <deque>
#include <utility>

#include "base/random/key.hpp"
#include "train/learn/learning_unit.hpp"
#include "train/plan/relabelling.hpp"
#include "train/plan/row_transforms.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

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
    if (site.ring != nullptr) {
        sampler->stay(*site.ring);
    }
    Result<std::vector<RowTransform>> transforms = make_row_transforms(site.wiring, of, count == 0 ? rows : count);
    if (!transforms) {
        return std::move(transforms).error();
    }
    Result<std::optional<GoalJudge>> goals = make_goal_judge(site.wiring, of);
    if (!goals) {
        return std::move(goals).error();
    }
    return Feed{.buffer = buffer,
                .prefix = batch.prefix,
                .sampler = std::move(*sampler),
                .options = of.options,
                .storage = site.storages[buffer],
                .key = make_key(seed, stream_of(plan, batch, of)),
                .draws = make_key(seed, stream_of(plan, batch, of) + "/rows"),
                .first = first,
                .count = count,
                .transforms = std::move(*transforms),
                .goals = std::move(*goals)};
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

Result<LearningUnit> LearningUnit::make(const ObjectivePlan& plan, const Site& site, Executor& executor,
                                        Learner& learner) {
    const auto seed = static_cast<std::uint64_t>(site.wiring.manifest.run.seed);
    const SamplerPlan batch = plan_of_batch();
    std::vector<Feed> feeds;
    std::vector<RowSource> sources;
    if (plan.by_batch()) {
        sources.push_back({.prefix = {}, .plan = &batch, .storage = &site.storage, .ring = site.ring});
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
                           .transforms = &feed.transforms,
                           .goals = &feed.goals,
                           .draws = feed.draws,
                           .ring = site.ring,
                           .prioritises_on_device = feed.sampler.prioritises_on_device()});
    }
    const bool prefetches = !plan.by_batch() && plan.prefetches;
    std::deque<std::vector<RowTransform>> again;  // this and the next: of the rows that are prepared ahead
    std::deque<std::optional<GoalJudge>> judged_again;
    std::vector<RowSource> prefetched = prefetches ? sources : std::vector<RowSource>();
    for (std::size_t i = 0; i < prefetched.size(); ++i) {
        Result<std::vector<RowTransform>> made = make_row_transforms(
            site.wiring, site.wiring.buffers[feeds[i].buffer],
            feeds[i].count == 0 ? static_cast<std::uint32_t>(plan.train.minibatch) : feeds[i].count);
        if (!made) {
            return std::move(made).error();
        }
        prefetched[i].transforms = &again.emplace_back(std::move(*made));
        Result<std::optional<GoalJudge>> goals = make_goal_judge(site.wiring, site.wiring.buffers[feeds[i].buffer]);
        if (!goals) {
            return std::move(goals).error();
        }
        prefetched[i].goals = &judged_again.emplace_back(std::move(*goals));
    }
    Result<Updater> updater =
        Updater::make(plan.update, "objective " + plan.unit.component, plan.stages, seed,
                      static_cast<std::uint32_t>(plan.train.minibatch), executor, learner, sources, prefetched);
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
                            frames, site_.ring);
}

Status LearningUnit::build() {
    if (!site_.updated) {
        updater_.tell_later();
    }
    if (site_.profile != nullptr) {
        sampling_ = site_.profile->span(Work::kSampling);
        preparing_ = site_.profile->span(Work::kPreparing);
        waiting_ = prefetch_ != nullptr ? site_.profile->span(Work::kGathering, "waiting for the minibatch") : 0;
        updater_.measure(site_.profile);
    }
    const auto seed = static_cast<std::uint64_t>(site_.wiring.manifest.run.seed);
    if (plan_->by_batch()) {
        const std::uint32_t steps = batch_steps(site_.wiring);
        minibatches_ = std::make_unique<Minibatches>(plan_->train, steps, site_.storage.lanes(), seed);
        const std::int64_t epochs = plan_->train.epochs.value_or(1);
        if (Status put = site_.ring != nullptr ? minibatches_->put_on(site_.ring->device(), epochs) : Status(); !put) {
            return put;
        }
        const auto whole = [&](const BuiltProgram& built, std::optional<WholeBatch>& out) -> Status {
            if (!built.exists()) {
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

}  // namespace tenon
