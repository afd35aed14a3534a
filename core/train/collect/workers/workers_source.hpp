// SPDX-License-Identifier: Apache-2.0
// Lanes that step in worker processes, which act by themselves (collector.kind = "processes").
#pragma once

#include <cstdint>
#include <memory>

#include "train/collect/frame_source.hpp"
#include "train/collect/workers/worker_lanes.hpp"

namespace tenon {

class WorkersSource final : public FrameSource {
public:
    // Starts the workers. `like` has the specs of their lanes and never steps.
    static Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, const Learner& learner, Lanes like,
                                                     Storage storage);

    // Nothing acts here.
    Status act_by(ActingOptions /*options*/, Executor* /*executor*/, Learner& /*learner*/, Pool& /*pool*/) override {
        return {};
    }
    Status reset(const std::uint64_t* seeds) override;
    void order(const Acting& first, std::int64_t steps) override {
        workers_->order(*site_.storage, first.numbers, first.counter, steps);
    }
    Result<std::uint32_t> step(const Acting& now) override;
    std::int64_t halt() override { return workers_->halt(*site_.storage); }
    Problems take_warnings() override;
    [[nodiscard]] bool saves_apart() const override { return true; }
    Status save(ByteWriter& out) override { return workers_->save(out, *site_.storage, site_.episodes); }
    Status load(ByteReader& in) override { return workers_->load(in, *site_.storage); }

private:
    WorkersSource(LaneSite site, std::unique_ptr<WorkerLanes> workers)
        : FrameSource(std::move(site)), workers_(std::move(workers)) {
        if (!site_.lanes.commons().empty()) {
            workers_->learn_in(site_.lanes);
        }
    }

    std::unique_ptr<WorkerLanes> workers_;
};

}  // namespace tenon
