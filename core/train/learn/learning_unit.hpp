// SPDX-License-Identifier: Apache-2.0
// One objective at work: chooses the rows that it learns from, and makes its updates. With a buffer, a sampler chooses
// the rows. Without one, it learns from the collected batch: prepare, epochs of minibatches, conclude.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/profile/profile.hpp"
#include "compute/exec/program.hpp"
#include "compute/parameters/network.hpp"
#include "experience/env/row_transform.hpp"
#include "experience/replay/sampler.hpp"
#include "experience/replay/storage.hpp"
#include "train/learn/means.hpp"
#include "train/learn/minibatches.hpp"
#include "train/learn/prefetch.hpp"
#include "train/learn/updater.hpp"
#include "train/learn/whole_batch.hpp"
#include "train/plan/live.hpp"
#include "train/plan/objective_plan.hpp"
#include "train/plan/wiring.hpp"
#include "train/progress/batch_extent.hpp"
#include "train/progress/run_progress.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

// A sampler that chooses rows of one storage for every minibatch of a unit.
struct Feed {
    std::size_t buffer;  // of the wiring's
    std::string prefix;  // of its columns; empty for the objective's own rows
    Sampler sampler;
    OptionNumbers options;
    const Storage* storage;
    tn_key key;    // of the sampler
    tn_key draws;  // this and the next: as in RowSource
    std::uint32_t first;
    std::uint32_t count;
    std::vector<RowTransform> transforms;  // this and the next: until the updater takes them
    std::optional<GoalJudge> goals;
};

class LearningUnit {
public:
    // What a unit works on, borrowed from the trainer.
    struct Site {
        const Wiring& wiring;
        Standing& standing;
        std::span<double> live;
        Storage& storage;                    // of the collected frames
        std::span<Storage* const> storages;  // of every buffer, as Wiring::buffers; null for a mixture
        const BatchExtent* extent;           // of the collected batch; null if no objective learns from it
        Problems& warnings;                  // about minibatches that were skipped, which do not end the run
        bool async = false;                  // frames are collected while it learns: schedules move between rounds
        Profile* profile = nullptr;          // null: it is not measured
        const DeviceRing* ring = nullptr;    // the collected frames on a device; null: they are in the host's memory
        std::function<void()> meanwhile;     // called before it waits for updates on a device; empty: no work to do
        std::function<Status()> updated;     // called after each update; may be empty
        Exchange* exchange = nullptr;        // of a shard's updates (Call::exchange)
    };

    // `progress` is the trainer's, and must outlive the unit.
    static Result<LearningUnit> make(const ObjectivePlan& plan, UnitProgress& progress, const Site& site,
                                     Executor& executor, Learner& learner);

    // Learns what is due after a round's frames. False: it was asked to stop before the end; its progress says where,
    // and the next call continues there. The same if it learns from a buffer and the run has made `until` updates.
    Result<bool> learn(StopAsked stop, std::int64_t until = kAllUpdates);
    // The updates from a buffer that remain in this round, if its turn is not over.
    [[nodiscard]] std::int64_t updates_left() const;

    // The parts of learn() for a caller's own loop. choose: rows that the buffer chooses; or the rows that an update
    // would use now, which the buffer chooses or which are the first minibatch of the collected batch, prepared first.
    // The last one counts an update that was made with the updater.
    Result<ChosenRows> choose(std::uint64_t counter) { return choose(counter, plan_->train.minibatch); }
    Result<ChosenRows> choose(std::uint64_t counter, std::int64_t rows);
    // Checks that the buffer can choose so many rows, and makes room for them.
    Status reserve(std::int64_t rows);
    Result<ChosenRows> next_minibatch();
    void count_update();
    // Waits for the updates that a device still has to compute, and adds up their results.
    Status settle();
    // Returns the priorities of the updater's last run to the buffers, for the rows that were chosen last.
    Status prioritise();
    [[nodiscard]] bool samples() const { return !minibatches_; }  // its own rows come from a buffer
    // Whether it computes columns of new frames in its buffer; store_new does, for the frames since the last call.
    [[nodiscard]] bool stores() const { return samples() && plan_->prepare.exists(); }
    Status store_new();
    // In a fixed order, for checkpoints. Drops prefetched rows.
    [[nodiscard]] std::span<Feed> feeds() {
        drop_prepared();
        return feeds_;
    }
    // Waits for the rows that are being prefetched, and drops them.
    void drop_prepared();

    [[nodiscard]] const ObjectivePlan& plan() const { return *plan_; }
    [[nodiscard]] Updater& updater() { return updater_; }
    [[nodiscard]] const UpdateMeans& means() const { return means_; }
    [[nodiscard]] UpdateMeans& means() { return means_; }

private:
    LearningUnit(const ObjectivePlan& plan, UnitProgress& progress, const Site& site, Executor& executor,
                 Learner& learner, std::vector<Feed> feeds, Updater updater)
        : plan_(&plan),
          progress_(&progress),
          site_(site),
          executor_(&executor),
          learner_(&learner),
          feeds_(std::move(feeds)),
          updater_(std::move(updater)) {}

    Status build();
    Result<WholeBatch> make_whole(const BuiltProgram& built, std::uint32_t steps);
    Status sample_feeds(std::int64_t rows, std::uint64_t counter);
    Status choose_of_feeds(std::int64_t rows, std::uint64_t counter);
    [[nodiscard]] ChosenRows chosen(std::int64_t rows, std::uint64_t counter) const;
    Result<Sizes> prepare_prefetched(std::uint64_t counter);
    Result<Sizes> take_prepared(std::uint64_t counter);
    void begin_next(std::uint64_t counter, bool is_last);
    Result<ChosenRows> choose_of_batch(std::size_t number, std::uint64_t counter);
    Result<bool> learn_from_buffer();
    Result<bool> learn_from_batch();
    Result<bool> run_epoch();
    Result<bool> run_whole(std::optional<WholeBatch>& program, std::size_t first_metric);
    template <class Choose>
    Result<bool> update(std::int64_t minibatches, Choose choose);
    [[nodiscard]] std::int64_t updates_due() const;
    [[nodiscard]] std::int64_t updates_by_pace() const;
    [[nodiscard]] bool keeps_nothing_yet() const;
    [[nodiscard]] std::size_t first_concluded() const;
    [[nodiscard]] RunNumbers numbers() const;
    [[nodiscard]] std::uint64_t first_row() const;
    void add_means();
    void leave_out(const Problem& why);
    [[nodiscard]] std::string at_this_update() const;

    const ObjectivePlan* plan_;
    UnitProgress* progress_;
    Site site_;
    Executor* executor_;
    Learner* learner_;
    std::vector<Feed> feeds_;
    Updater updater_;
    std::vector<SampledRows> rows_;             // of the minibatch, of every source
    std::unique_ptr<Minibatches> minibatches_;  // this and conclude_: only if whole batches are learnt from
    std::optional<WholeBatch> prepare_;         // of a unit that stores; made for as many steps as the last call had
    std::optional<WholeBatch> conclude_;
    std::uint32_t stored_steps_ = 0;  // for which prepare_ was made
    StopAsked stop_ = never_stops;
    std::int64_t until_ = kAllUpdates;
    UpdateMeans means_;
    std::int64_t last_untold_ = 0;        // minibatch, since the run began
    std::optional<std::int64_t> failed_;  // an update that was reported later; none: the present one
    std::size_t sampling_ = 0;            // these: spans of the site's profile
    std::size_t preparing_ = 0;
    std::size_t waiting_ = 0;
    // Null: rows are chosen when they are needed. The last to be made, the first to end.
    std::unique_ptr<Prefetch> prefetch_;
};

}  // namespace tenon
