// SPDX-License-Identifier: Apache-2.0
#include "train/collect/workers/workers_source.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "train/plan/lane_counts.hpp"
#include "train/plan/workers.hpp"

namespace tenon {
namespace {

Result<WorkerLanes::Plan> plan_of(const Wiring& wiring, const Learner& learner) {
    std::vector<std::vector<std::string>> via = TENON_TRY(worker_commands(wiring.manifest));
    WorkerLanes::Plan out{.manifest = worker_manifest(wiring),
                          .workers = worker_count(wiring),
                          .live = wiring.live.values.size(),
                          .steps = static_cast<std::uint32_t>(steps_of_round(wiring.manifest)),
                          .ahead = wiring.collects_ahead(),
                          .seed = static_cast<std::uint64_t>(wiring.manifest.run.seed),
                          .restarts = static_cast<std::uint32_t>(wiring.manifest.isolation.restarts),
                          .unwritten = wiring.offers_version() ? kPolicyVersion : std::string_view(),
                          .via = std::move(via)};
    for (const std::string& role : networks_of(wiring.act.graph)) {
        out.weights.push_back(&learner.find(role)->behaviour);
    }
    return out;
}

}  // namespace

Result<std::unique_ptr<FrameSource>> WorkersSource::make(const Wiring& wiring, const Learner& learner, Lanes like,
                                                         Storage storage) {
    WorkerLanes::Plan plan = TENON_TRY(plan_of(wiring, learner));
    std::unique_ptr<WorkerLanes> workers = TENON_TRY(WorkerLanes::make(std::move(plan), storage));
    return std::unique_ptr<FrameSource>(
        new WorkersSource(LaneSite(std::move(like), std::move(storage)), std::move(workers)));
}

Status WorkersSource::reset(const std::uint64_t* seeds) {
    site_.episodes.drop(nullptr);
    return workers_->begin(*site_.storage, seeds);
}

Result<std::uint32_t> WorkersSource::step(const Acting& now) {
    TENON_TRY(workers_->step(*site_.storage, now.numbers, now.counter, site_.episodes));
    return static_cast<std::uint32_t>(std::ranges::count(site_.storage->parked(), std::uint8_t{0}));
}

Problems WorkersSource::take_warnings() {
    Problems out = FrameSource::take_warnings();
    std::ranges::move(workers_->take_warnings(), std::back_inserter(out));
    return out;
}

}  // namespace tenon
