// SPDX-License-Identifier: Apache-2.0
// A wired run whose loop belongs to the caller, who tells it to collect, sample, evaluate, update and score.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/data/batch.hpp"
#include "experience/replay/rollout.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "train/collect/evaluator.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {

// A result of the objective on a batch. NaN: not computed (a stage that was not due).
struct Term {
    std::string name;
    double value = 0;
};
struct Terms {
    std::vector<Term> losses;
    std::vector<Term> metrics;
};

// A parameter in its slab.
struct ParameterView {
    std::string role;
    std::string name;
    View value;
    View gradient;  // without data if the parameter is not trained
};

// When a rollout ends early.
struct RolloutOptions {
    bool until_any_done = false;  // when an episode has ended in any lane
    std::function<bool(std::int64_t)>
        after_step{};  // called with the number of steps made; false: this was the last one
};

class Session {
public:
    // Adds every problem and then returns null. The request's [train] table determines the size of a sample; its
    // numbers of frames and updates have no effect.
    static std::unique_ptr<Session> open(const Request& request, Problems& problems);

    // Steps all lanes with the actions of the acting policy, or with random ones before train.start_frames.
    Status collect(std::int64_t steps = 1);

    // Steps all lanes, and returns these transitions as a batch [lane, time]: all stored columns, and those that follow
    // from them ("next.done"). The storage must have room for them: buffer.capacity or train.batch. Views of the
    // storage where possible, valid until the next step.
    Result<Batch> rollout(std::int64_t steps, const RolloutOptions& options = {});

    // So many rows that the buffer chooses (0: train.minibatch), as [rows], or sequences as [time][rows / time], with
    // the columns that the update reads. Valid until the next sample.
    Result<Batch> sample(std::int64_t rows = 0);

    // The objective's terms on these rows, and the gradient of every parameter that a due stage owns. Nothing changes,
    // so all stages use the present parameters.
    Result<Terms> evaluate(const Batch& rows) { return compute(rows, false); }

    // The same, followed by the step: clipping, optimisers, targets. The buffer gets the priorities of the latest
    // sample.
    Result<Terms> update(const Batch& rows);

    // Plays eval.episodes whole episodes in a separate env without exploration.
    Result<Score> score();

    // All parameters of all networks, for reading and writing.
    [[nodiscard]] std::vector<ParameterView> parameters();

    [[nodiscard]] std::int64_t frames() const { return trainer_->standing().frames; }
    [[nodiscard]] std::int64_t updates() const { return trainer_->standing().updates; }
    [[nodiscard]] const Episodes& episodes() const { return std::as_const(*trainer_).source().episodes(); }

private:
    Session() = default;

    // The unit of the first objective; null if there is none.
    [[nodiscard]] LearningUnit* unit() { return trainer_->units().empty() ? nullptr : &trainer_->units().front(); }

    Status prepare();
    Result<Terms> compute(const Batch& rows, bool changes);
    bool is_last_sample(const Batch& rows);

    // Members are destroyed from the last to the first.
    Setup setup_;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Trainer> trainer_;
    std::unique_ptr<Evaluator> evaluator_;
    std::optional<Rollout> rollout_;
    std::uint32_t rollout_steps_ = 0;  // room in it
    std::int64_t samples_ = 0;         // counter of samples
    const void* sampled_ = nullptr;    // the first column of the latest sample
    std::int64_t sampled_rows_ = 0;
};

}  // namespace tenon
