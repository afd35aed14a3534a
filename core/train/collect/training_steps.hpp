// SPDX-License-Identifier: Apache-2.0
// The steps of a source in a training run, and the loop over them.
#pragma once

#include <cstdint>
#include <span>

#include "train/collect/frame_source.hpp"
#include "train/progress/run_progress.hpp"

namespace tenon {

class TrainingSteps {
public:
    // All of them must outlive it; `live` are the present live values, `versions` those of the parameters that act.
    TrainingSteps(const Wiring& wiring, std::span<const double> live, const ActingVersions& versions,
                  FrameSource& source);

    // The next step, which acts with the numbers of the run at this point; as FrameSource::step. `same_parameters`:
    // unchanged since the previous step of the same batch. Call it only if lanes are ready.
    Result<std::uint32_t> step(const Standing& now, bool same_parameters) const;
    // As FrameSource::order.
    void order(const Standing& now, std::int64_t steps) const;
    // The number of updates that had been made when the parameters that act were the newest.
    [[nodiscard]] std::int64_t acting_version(const Standing& now) const;

private:
    const Wiring& wiring_;
    std::span<const double> live_;
    const ActingVersions& versions_;
    FrameSource& source_;
    const StorageColumn* version_;  // says for each frame what has acted; null if nobody reads it
};

// Calls `step` until `is_done`. Asked to stop, it takes only those steps that the source has begun already.
template <class IsDone, class Step>
Status step_until(FrameSource& source, StopAsked stop, IsDone is_done, Step step) {
    bool stops = false;
    std::int64_t begun = 0;
    while (!is_done()) {
        if (!stops && stop()) {
            stops = true;
            begun = source.halt();
        }
        if (stops && begun-- == 0) {
            return {};
        }
        TENON_TRY(step());
    }
    return {};
}

}  // namespace tenon
