// SPDX-License-Identifier: Apache-2.0
// The training loop: collects a round of frames, then learns from a buffer or from these frames alone. It does not
// depend on files, terminals or clocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/episodes.hpp"
#include "env/procedural.hpp"
#include "env/spec_watch.hpp"
#include "exec/program.hpp"
#include "learn/network.hpp"
#include "replay/storage.hpp"
#include "train/actor.hpp"
#include "train/batch_extent.hpp"
#include "train/means.hpp"
#include "train/minibatches.hpp"
#include "train/parameter_noise.hpp"
#include "train/random_actions.hpp"
#include "train/round.hpp"
#include "train/standing.hpp"
#include "train/updater.hpp"
#include "train/whole_batch.hpp"
#include "train/wiring.hpp"

namespace tenon {

class Trainer {
public:
    // Allocates everything and begins episodes. The executor may be null if nothing learns or acts by a graph.
    static Result<std::unique_ptr<Trainer>> make(Wiring& wiring, Host& host, Executor* executor);

    // Collects a batch of frames and makes the updates that are due after it; in a run that only learns, makes one
    // update. If it is asked to stop, it returns in the middle of the round. The next call continues there, even in a
    // trainer restored from a checkpoint, and the result is the same as without the interruption.
    Status round(StopAsked stop = never_stops);
    [[nodiscard]] bool in_round() const { return round_.begun; }

    // The first half of a round: collects the frames of a batch.
    Status collect_batch();

    // The parts of a round for a caller's own loop: one step of all lanes; rows that the buffer chooses; counting an
    // update made with the updater.
    Status collect();
    Result<Minibatch> choose(std::uint64_t counter);
    [[nodiscard]] Sizes sizes_of_sample() const;
    // The rows that an update would use now: chosen by the buffer, or the first minibatch of the latest batch, which is
    // prepared first.
    Result<Minibatch> next_minibatch();
    // The same, after collecting as many frames as one minibatch needs.
    Result<Minibatch> collect_minibatch();
    // Returns the priorities of the updater's last run to the buffer, for the rows that were chosen last.
    Status prioritise();
    [[nodiscard]] Updater* updater() { return updater_ ? &*updater_ : nullptr; }
    [[nodiscard]] Actor* actor() { return actor_ ? &*actor_ : nullptr; }
    void count_update();

    [[nodiscard]] const Standing& standing() const { return standing_; }
    [[nodiscard]] Standing& standing() { return standing_; }
    [[nodiscard]] std::int64_t position() const { return position_of(wiring_.manifest, standing_); }
    [[nodiscard]] const Episodes& episodes() const { return *episodes_; }
    [[nodiscard]] const UpdateMeans& means() const { return means_; }
    [[nodiscard]] UpdateMeans& means() { return means_; }
    void forget_means();
    // Problems since the last call that do not end the run: parked lanes, an env that violates its specs, a skipped
    // minibatch.
    Problems take_warnings() { return std::exchange(warnings_, {}); }

    [[nodiscard]] Wiring& wiring() const { return wiring_; }
    [[nodiscard]] Learner& learner() { return learner_; }
    [[nodiscard]] Storage& storage() { return *storage_; }
    [[nodiscard]] Episodes& episodes() { return *episodes_; }
    [[nodiscard]] ProceduralPolicy* procedure() { return procedure_ ? &*procedure_ : nullptr; }  // if a procedure acts
    // The memories of acting outside of the storage; null if there are none.
    [[nodiscard]] Memories* memories() { return actor_ && !actor_->memories().empty() ? &actor_->memories() : nullptr; }
    [[nodiscard]] ParameterNoise* parameter_noise() { return noise_ ? &*noise_ : nullptr; }
    [[nodiscard]] const ParameterNoise* parameter_noise() const { return noise_ ? &*noise_ : nullptr; }
    [[nodiscard]] RoundPosition& round_position() { return round_; }
    // The batch that is being collected or learnt from; null if the run uses a buffer.
    [[nodiscard]] BatchExtent* extent() { return extent_ ? &*extent_ : nullptr; }
    // Starts the present batch anew, in a round that is collecting one. The collected frames count but are not learnt
    // from.
    void drop_batch();
    // The live values with the present values of the schedules.
    [[nodiscard]] RunNumbers numbers() const;
    void move_schedules() { tenon::move_schedules(wiring_, standing_); }

private:
    Trainer(Wiring& wiring) : wiring_(wiring) {}

    Status build(Host& host, Executor* executor);
    Status collect_frames();
    Status collect_steps();
    Status collect_extent();
    Status begin_batch();
    Status after_collecting();
    Status build_acting(Host& host, Executor* executor);
    Status act();

    // trainer_updates.cpp
    Status build_updates(Executor& executor);
    Status learn();
    Status learn_from_buffer();
    Status learn_from_batch();
    Result<bool> run_epoch();
    Result<bool> run_whole(std::optional<WholeBatch>& program, std::size_t first_metric);
    template <class Choose>
    Result<bool> update(std::int64_t minibatches, Choose choose);
    [[nodiscard]] std::int64_t updates_due() const;
    void add_means();
    void leave_out(const Problem& why);
    [[nodiscard]] std::string at_this_frame() const;
    [[nodiscard]] std::string at_this_update() const;
    void warn(Problem warning);

    Wiring& wiring_;
    Learner learner_;
    std::optional<Storage> storage_;
    std::optional<Episodes> episodes_;
    std::optional<ParameterNoise> noise_;
    std::optional<Actor> actor_;
    std::optional<ProceduralPolicy> procedure_;
    std::optional<RandomActions> random_;
    std::optional<Updater> updater_;
    std::optional<BatchExtent> extent_;  // this and the next three: only if whole batches are learnt from
    std::optional<Minibatches> minibatches_;
    std::optional<WholeBatch> prepare_;
    std::optional<WholeBatch> conclude_;
    bool same_parameters_ = false;  // unchanged since the previous step of the same batch
    tn_key policy_key_{};
    tn_key sampling_key_{};
    Standing standing_;
    RoundPosition round_;
    StopAsked stop_ = never_stops;
    UpdateMeans means_;
    SpecWatch watch_;
    Problems warnings_;
};

// The number of slots of a trainer's storage.
std::uint32_t storage_slots(const Wiring& wiring);

// The maximal number of transitions of a lane in a batch that is learnt from as a whole.
std::uint32_t batch_steps(const Wiring& wiring);

// The learner of a wiring: slabs of every network, with initial values or, if the manifest says so, read from a file.
Result<Learner> make_learner(const Wiring& wiring);

// Adds a problem for every policy.NAME.init that make_learner cannot read. The networks' layouts must be known.
void check_initial_weights(const Wiring& wiring, Problems& problems);

}  // namespace tenon
