// SPDX-License-Identifier: Apache-2.0
// Makes a learning unit: its samplers, its updater, and the programs of a whole batch.
#include <deque>
#include <utility>

#include "base/random/key.hpp"
#include "config/manifest/shards.hpp"
#include "train/learn/learning_unit.hpp"
#include "train/plan/relabelling.hpp"
#include "train/plan/row_transforms.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

// The gather plan of a collected batch, which reads every column at its row.
SamplerPlan plan_of_batch() {
    return {.sampler = "the collected batch", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
}

// The name of a sampler's stream of random numbers. Objectives share that of the buffer without a name, so their n-th
// minibatches of equal size have the same rows; a sampler of a named buffer has its own stream for each objective.
std::string stream_of(const ObjectivePlan& plan, const BatchPlan& batch, const BufferPlan& buffer) {
    return buffer.table->name.empty() ? std::string("buffer/sample")
                                      : "buffer/sample/" + plan.name + "/" + batch.prefix + buffer.table->name;
}

// The sampler of a buffer, for rows first .. first + count - 1 of every minibatch (count 0: all).
Result<Feed> make_feed(const ObjectivePlan& plan, const LearningUnit::Site& site, const BatchPlan& batch,
                       std::size_t buffer, std::uint32_t first, std::uint32_t count) {
    const BufferPlan& of = site.wiring.buffers[buffer];
    const auto seed = site.wiring.seed();
    const Manifest& manifest = site.wiring.manifest;
    const std::string stream = stream_of_shard(manifest, stream_of(plan, batch, of));
    Instance instance = TENON_TRY(instantiate(*of.part, 0, seed, shard_of(manifest) == 0 ? "" : stream + "/"));
    const auto rows = static_cast<std::uint32_t>(plan.train.minibatch);
    Sampler sampler = TENON_TRY(Sampler::make(std::move(instance), count == 0 ? rows : count, site.wiring.device));
    if (site.ring != nullptr) {
        sampler.stay(*site.ring);
    }
    std::vector<RowTransform> transforms = TENON_TRY(make_row_transforms(site.wiring, of, count == 0 ? rows : count));
    std::optional<GoalJudge> goals = TENON_TRY(make_goal_judge(site.wiring, of));
    return Feed{.buffer = buffer,
                .prefix = batch.prefix,
                .sampler = std::move(sampler),
                .options = of.options,
                .storage = site.storages[buffer],
                .key = make_key(seed, stream),
                .draws = make_key(seed, stream + "/rows"),
                .first = first,
                .count = count,
                .transforms = std::move(transforms),
                .goals = std::move(goals)};
}

// A mixture has a feed for each of its buffers; their rows follow each other.
Status add_feeds(const ObjectivePlan& plan, const LearningUnit::Site& site, const BatchPlan& batch,
                 std::vector<Feed>& out) {
    const BufferPlan& buffer = site.wiring.buffers[*batch.buffer];
    const auto add = [&](std::size_t index, std::uint32_t first, std::uint32_t count) -> Status {
        out.push_back(TENON_TRY(make_feed(plan, site, batch, index, first, count)));
        return {};
    };
    if (buffer.mixed.empty()) {
        return add(*batch.buffer, 0, 0);
    }
    const std::vector<std::uint32_t> counts = rows_of_mixture(*buffer.table, plan.train.minibatch);
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        TENON_TRY(add(buffer.mixed[i], first, counts[i]));
        first += counts[i];
    }
    return {};
}

}  // namespace

Result<LearningUnit> LearningUnit::make(const ObjectivePlan& plan, UnitProgress& progress, const Site& site,
                                        Executor& executor, Learner& learner) {
    const SamplerPlan batch = plan_of_batch();
    std::vector<Feed> feeds;
    std::vector<RowSource> sources;
    if (plan.by_batch()) {
        sources.push_back({.prefix = {}, .plan = &batch, .storage = &site.storage, .ring = site.ring});
    }
    for (const BatchPlan& from : plan.batches) {
        TENON_TRY(from.buffer ? add_feeds(plan, site, from, feeds) : Status());
    }
    for (Feed& feed : feeds) {
        sources.push_back({.prefix = feed.prefix,
                           .plan = &site.wiring.buffers[feed.buffer].sampling,
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
    std::deque<std::vector<RowTransform>> again;  // this and the next: of prefetched rows
    std::deque<std::optional<GoalJudge>> judged_again;
    std::vector<RowSource> prefetched = prefetches ? sources : std::vector<RowSource>();
    for (std::size_t i = 0; i < prefetched.size(); ++i) {
        std::vector<RowTransform> made = TENON_TRY(make_row_transforms(
            site.wiring, site.wiring.buffers[feeds[i].buffer],
            feeds[i].count == 0 ? static_cast<std::uint32_t>(plan.train.minibatch) : feeds[i].count));
        prefetched[i].transforms = &again.emplace_back(std::move(made));
        std::optional<GoalJudge> goals = TENON_TRY(make_goal_judge(site.wiring, site.wiring.buffers[feeds[i].buffer]));
        prefetched[i].goals = &judged_again.emplace_back(std::move(goals));
    }
    Updater updater = TENON_TRY(Updater::make(plan.update, "objective " + plan.unit.component, plan.stages,
                                              site.wiring.seed(), static_cast<std::uint32_t>(plan.train.minibatch),
                                              executor, learner, sources, prefetched));
    LearningUnit out(plan, progress, site, executor, learner, std::move(feeds), std::move(updater));
    out.rows_.resize(sources.size());
    if (prefetches) {
        out.prefetch_ = std::make_unique<Prefetch>();
    }
    TENON_TRY(out.build());
    return out;
}

Result<WholeBatch> LearningUnit::make_whole(const BuiltProgram& built, std::uint32_t steps) {
    const Storage& frames = plan_->by_batch() ? site_.storage : *site_.storages[*plan_->batches.front().buffer];
    return WholeBatch::make(built, "objective " + plan_->unit.component, site_.wiring.seed(), steps, *executor_,
                            *learner_, frames, site_.ring);
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
    const auto seed = site_.wiring.seed();
    if (plan_->by_batch()) {
        const std::uint32_t steps = batch_steps(site_.wiring);
        minibatches_ = std::make_unique<Minibatches>(plan_->train, steps, site_.storage.lanes(), seed,
                                                     stream_of_shard(site_.wiring.manifest, "train/shuffle"));
        const std::int64_t epochs = plan_->train.epochs.value_or(1);
        TENON_TRY(site_.ring != nullptr ? minibatches_->put_on(site_.ring->device(), epochs) : Status());
        const auto whole = [&](const BuiltProgram& built, std::optional<WholeBatch>& out) -> Status {
            if (!built.exists()) {
                return {};
            }
            out.emplace(TENON_TRY(make_whole(built, steps)));
            return {};
        };
        TENON_TRY(whole(plan_->prepare, prepare_));
        TENON_TRY(whole(plan_->conclude, conclude_));
    }
    means_.losses.resize(updater_.losses().size());
    means_.metrics.resize(first_concluded() + (conclude_ ? conclude_->metrics().size() : 0));
    means_.gradient_norms.resize(updater_.gradient_norms().size());
    return {};
}

}  // namespace tenon
