// SPDX-License-Identifier: Apache-2.0
// Steps of any source that another thread makes, while the caller learns (collector.kind = "async", "processes"). The
// two threads share nothing but what both only read: the caller looks at the source again after wait.
#pragma once

#include <cstdint>
#include <thread>

#include "base/thread/companion.hpp"
#include "train/collect/frame_source.hpp"
#include "train/collect/training_steps.hpp"

namespace tenon {

class AsyncSteps {
public:
    // Both must outlive it.
    AsyncSteps(FrameSource& source, const TrainingSteps& steps) : source_(source), steps_(steps) {}

    struct Made {
        std::int64_t steps = 0;  // of the round
        std::int64_t frames = 0;
    };
    // The other thread makes the steps of a round from `made` to `until`; `standing` is that at the start of the round.
    // Call wait before the next begin.
    void begin(const Standing& standing, Made made, std::int64_t until, StopAsked stop);
    // What has been made when the thread is done; fewer steps if it was asked to stop. `made` is right after a problem,
    // too.
    Status wait(Made& made);

    [[nodiscard]] std::thread::native_handle_type handle() { return companion_.handle(); }

private:
    Status collect();

    FrameSource& source_;
    const TrainingSteps& steps_;
    Standing standing_;
    Made made_;
    std::int64_t until_ = 0;
    StopAsked stop_ = never_stops;
    Status status_;
    Companion companion_;
};

}  // namespace tenon
