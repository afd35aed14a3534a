// SPDX-License-Identifier: Apache-2.0
// Scores the present policy: whole episodes in a separate env, with actions that do not explore.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/data/state_bytes.hpp"
#include "compute/exec/program.hpp"
#include "experience/env/lanes.hpp"
#include "train/collect/frame_source.hpp"
#include "train/collect/score.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/wiring.hpp"
#include "train/progress/run_progress.hpp"

namespace tenon {

class Evaluator {
public:
    // Plays what is scored; `seed` determines the episodes. Every run reads the learner's present parameters, and what
    // the transforms of the training's lanes have learnt. The executor may be null for a policy that is a procedure.
    static Result<std::unique_ptr<Evaluator>> make(const Wiring& wiring, const Lanes& training, const Scored& scored,
                                                   Host& host, Executor* executor, Learner& learner,
                                                   std::int64_t episodes, std::uint64_t seed);

    // Plays the same episodes every time: each lane plays its share, from the same seeds. `numbers` are those of the
    // training run at this point; the lanes follow their live values. Nothing if it was asked to stop.
    Result<std::optional<Score>> run(const RunNumbers& numbers, StopAsked stop = never_stops);

    // The program that acts tells it what its loops compute (Actor::watch).
    void watch(const Watch* watch) const {
        if (Actor* const actor = source_->actor()) {
            actor->watch(watch);
        }
    }

    // Takes over what the transforms of training have learnt now, for the next run, which may then be on another thread
    // than the training.
    Status freeze();
    // A run ends early, as if it was asked to stop, when the flag is set. It must outlive the evaluator.
    void give_up_by(const std::atomic<bool>& flag) { given_up_ = &flag; }

    // The scores of each task in the latest run; none if it plays one env or one task.
    [[nodiscard]] std::vector<NamedScore> task_scores() const;
    // The scores of each group of agents in the latest run, if several groups of the env have rewards.
    [[nodiscard]] std::vector<NamedScore> group_scores() const;
    // The scores of tasks and groups, in the order of their names (score_names).
    [[nodiscard]] std::vector<Score> part_scores() const;

    // Plays one episode, the one that lane number `episode` of an evaluation begins with, and calls `seen` after the
    // reset and after every step. If the env itself begins the next episode, `seen` misses the end. For an evaluator
    // of one episode.
    Result<std::optional<Score>> show(const RunNumbers& numbers, std::uint32_t episode,
                                      const std::function<Status(const Lanes&)>& seen, StopAsked stop = never_stops);

    // As FrameSource::overrule.
    void overrule(std::function<Status(const Storage&)> by) { source_->overrule(std::move(by)); }
    [[nodiscard]] const Lanes& lanes() const { return source_->lanes(); }
    [[nodiscard]] const Storage& storage() const { return source_->storage(); }

private:
    Evaluator() = default;
    // `copies`: of the env, for a procedure that plans in them.
    Status make_acting(const Wiring& wiring, std::optional<Lanes> copies, Host& host, Executor* executor,
                       Learner& learner);
    Status begin(const RunNumbers& numbers, const std::uint64_t* seeds);
    Status cut_off_episodes();
    void cut_off(const Episodes& episodes, ScoreSheet& sheet);
    void tell_of_cut_off(const Score& score);
    void hint_at_other_rewards(const Score& score);
    Result<std::optional<Score>> play(const RunNumbers& numbers, StopAsked stop,
                                      const std::function<Status(const Lanes&)>& seen);

    const Lanes* training_ = nullptr;
    std::vector<std::int64_t> share_;  // number of episodes per lane
    struct TaskLanes {
        std::string name;
        std::uint32_t lanes = 0;
    };
    std::vector<TaskLanes> tasks_;  // none if it plays one env or one task
    std::uint64_t seed_ = 0;
    std::unique_ptr<FrameSource> source_;
    ScoreSheet sheet_;
    std::vector<ScoreSheet> groups_;  // of each of groups_with_rewards
    bool frozen_ = false;
    bool hinted_ = false;         // at a reward that returns are not sums of
    std::int64_t max_steps_ = 0;  // of an episode; 0: any number
    bool chosen_ = false;         // max_steps_ is the manifest's
    bool told_ = false;           // of episodes that were cut off
    std::vector<EndedEpisode> long_;
    std::vector<std::uint8_t> is_long_;  // [lane]
    const std::atomic<bool>* given_up_ = nullptr;
    StateBytes begin_;  // initial state of the procedure, restored before every evaluation
};

}  // namespace tenon
