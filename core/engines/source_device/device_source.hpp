// SPDX-License-Identifier: Apache-2.0
// Lanes whose columns stay on a device: acting, stepping and keeping are enqueued, and the host looks once a round.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "train/collect/frame_source.hpp"

namespace tenon {

class DeviceSource final : public FrameSource {
public:
    static Result<std::unique_ptr<FrameSource>> make(const Wiring& wiring, Lanes lanes, Storage storage);

    Status reset(const std::uint64_t* seeds) override;
    Result<std::uint32_t> step(const Acting& now) override;
    Status rewind() override;
    Status settle() override;
    void count_episodes() override;
    Status fetch_to_host() override { return ring_->fetch_to_host(); }
    void changed_on_host() override { ring_->changed_on_host(); }
    [[nodiscard]] DeviceRing* on_device() override { return ring_.get(); }

private:
    DeviceSource(LaneSite site, std::uint32_t steps) : FrameSource(std::move(site)), steps_(steps) {}
    Result<Actor> make_actor(const ActingOptions& options, Executor& executor, Learner& learner) override;
    Status act_on_device(const Acting& now);
    [[nodiscard]] Status fault_of(std::span<const tn_fault> faults) const;

    std::uint32_t steps_;  // the host looks at least every so many steps
    std::string learns_;   // the objective, for what it gives the buffer; this and its place
    Place learns_at_;
    std::unique_ptr<DeviceRing> ring_;  // null until something acts
    std::vector<double> rewards_;       // [lane] of a step
    std::uint32_t uncounted_ = 0;       // newest steps of the last look
};

}  // namespace tenon
