// SPDX-License-Identifier: Apache-2.0
// Evaluations while training goes on (eval.background): on another thread, with a copy of the weights, of the
// statistics of transforms and of the live values. A checkpoint contains the copy until the scores are taken, so a
// resumed run plays the evaluation again.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/data/state_bytes.hpp"
#include "base/thread/companion.hpp"
#include "train/collect/evaluator.hpp"
#include "train/loop/trainer.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

class BackgroundEvaluation {
public:
    // The trainer, the host and the executor must outlive it.
    static Result<std::unique_ptr<BackgroundEvaluation>> make(Trainer& trainer, Host& host, Executor* executor);
    ~BackgroundEvaluation();
    BackgroundEvaluation(const BackgroundEvaluation&) = delete;
    BackgroundEvaluation& operator=(const BackgroundEvaluation&) = delete;

    // Copies the present policy, and begins to play.
    Status begin();
    // Whether an evaluation has begun and has not been taken.
    [[nodiscard]] bool pending() const { return pending_; }
    // The run's position when the copy of the pending evaluation was made, or of the one that was taken last.
    [[nodiscard]] const Standing& frozen() const { return frozen_; }
    [[nodiscard]] std::int64_t position() const { return position_of(wiring_.manifest, frozen_); }

    // Waits for the scores of all evaluations. Nothing if a stop was requested meanwhile; the evaluation then stays
    // pending.
    Result<std::optional<std::vector<Score>>> take();

    // Saves a pending evaluation to a checkpoint, and loads it. With an empty prefix, the copy becomes a checkpoint of
    // its own.
    static constexpr const char* kPending = "evaluated.";
    Status save(const std::filesystem::path& folder, const std::string& executor, const std::string& prefix);
    Status resume(const std::filesystem::path& checkpoint);

    void add_threads(std::vector<std::thread::native_handle_type>& to) { to.push_back(companion_.handle()); }

private:
    BackgroundEvaluation(Trainer& trainer) : trainer_(trainer), wiring_(trainer.wiring()) {}
    Status freeze();
    void start();
    void play();

    Trainer& trainer_;
    const Wiring& wiring_;
    Learner learner_;
    std::vector<std::unique_ptr<Evaluator>> evaluators_;
    Standing frozen_;
    std::vector<double> live_;
    StateBytes transforms_;
    RunNumbers numbers_;
    std::vector<Score> scores_;
    Status status_;
    bool stopped_ = false;  // the thread has ended without scores
    bool pending_ = false;
    bool plays_ = false;  // whether the thread plays
    std::atomic<bool> give_up_ = false;
    Companion companion_;
};

}  // namespace tenon
