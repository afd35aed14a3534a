// SPDX-License-Identifier: Apache-2.0
#include "train/collect/async/async_steps.hpp"

#include <utility>

namespace tenon {

void AsyncSteps::begin(const Standing& standing, Made made, std::int64_t until, StopAsked stop) {
    standing_ = standing;
    made_ = made;
    until_ = until;
    stop_ = stop;
    companion_.begin(
        [](void* self) {
            auto* const steps = static_cast<AsyncSteps*>(self);
            steps->status_ = steps->collect();
        },
        this);
}

Status AsyncSteps::wait(Made& made) {
    companion_.wait();
    made = made_;
    return std::exchange(status_, {});
}

Status AsyncSteps::collect() {
    const auto now = [this] {
        Standing out = standing_;
        out.steps += made_.steps;
        out.frames += made_.frames;
        return out;
    };
    steps_.order(now(), until_ - made_.steps);
    bool first = true;
    return step_until(
        source_, stop_, [this] { return made_.steps == until_; },
        [&]() -> Status {
            made_.frames += TENON_TRY(steps_.step(now(), !std::exchange(first, false)));
            ++made_.steps;
            return {};
        });
}

}  // namespace tenon
