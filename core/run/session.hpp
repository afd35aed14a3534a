// SPDX-License-Identifier: Apache-2.0
// A wired run whose loop is the caller's: it collects, samples, evaluates, updates and scores when it is told to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/batch.hpp"
#include "run/executor.hpp"
#include "run/setup.hpp"
#include "train/evaluator.hpp"
#include "train/trainer.hpp"

namespace tenon {

// What an objective said of a batch. NaN: not computed this time (a stage that was not due).
struct Term {
    std::string name;
    double value = 0;
};
struct Terms {
    std::vector<Term> losses;
    std::vector<Term> metrics;
};

// A parameter where it lies.
struct ParameterView {
    std::string role;
    std::string name;
    View value;
    View gradient;  // without data where the parameter is not trained
};

class Session {
public:
    // Adds every problem that there is and gives nothing then. The request's [train] table says how large a sample is;
    // its numbers of frames and updates are the caller's affair.
    static std::unique_ptr<Session> open(const Request& request, Problems& problems);

    // Steps of all lanes, with the actions of the acting policy, or random ones before train.start_frames.
    Status collect(std::int64_t steps = 1);

    // train.minibatch rows that the buffer chooses, [rows] or sequences as [time][rows], with the columns that the
    // update reads. Good until the next sample.
    Result<Batch> sample();

    // The objective's terms on these rows, and the gradient of every parameter that a due stage owns. Nothing moves:
    // all stages see the parameters as they are.
    Result<Terms> evaluate(const Batch& rows);

    // The same, and then the step: clipping, optimisers, targets. Of the last sample the buffer gets the priorities.
    Result<Terms> update(const Batch& rows);

    // eval.episodes whole episodes in an env of their own, without exploration.
    Result<Score> score();

    // All parameters of all networks, to read or to write.
    [[nodiscard]] std::vector<ParameterView> parameters();

    [[nodiscard]] std::int64_t frames() const { return trainer_->standing().frames; }
    [[nodiscard]] std::int64_t updates() const { return trainer_->standing().updates; }
    [[nodiscard]] const Episodes& episodes() const { return std::as_const(*trainer_).episodes(); }

private:
    Session() = default;

    Status prepare();
    Result<Terms> compute(const Batch& rows, bool changes);
    bool is_last_sample(const Batch& rows);

    // Members are destroyed from the last to the first.
    Setup setup_;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Trainer> trainer_;
    std::unique_ptr<Evaluator> evaluator_;
    std::int64_t samples_ = 0;       // the counter of choosing
    const void* sampled_ = nullptr;  // the first column of the last sample
};

}  // namespace tenon
