// SPDX-License-Identifier: Apache-2.0
#include "engines/source_pool/pool_source.hpp"

#include <algorithm>
#include <utility>

#include "experience/replay/align.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kMillisecondsBetweenStops = 100;

}  // namespace

Result<std::unique_ptr<FrameSource>> PoolSource::make(Lanes lanes, Storage rings, std::uint32_t least,
                                                      std::uint32_t batch) {
    LaneRings kept(std::move(rings));
    Storage desk = TENON_TRY(LaneRings::make_desk(kept.storage()));
    LaneSite site = TENON_TRY(make_site(std::move(lanes), std::move(desk)));
    return std::unique_ptr<FrameSource>(new PoolSource(std::move(site), std::move(kept), least, batch));
}

PoolSource::PoolSource(LaneSite site, LaneRings rings, std::uint32_t least, std::uint32_t batch)
    : FrameSource(std::move(site)), rings_(std::move(rings)), least_(least), batch_(batch) {
    ready_.reserve(lane_count());
    finished_.reserve(lane_count());
    arrived_.stepped.reserve(lane_count());
    arrived_.begun.reserve(lane_count());
}

std::span<const std::uint32_t> PoolSource::ready() const {
    return enough_ready() ? std::span<const std::uint32_t>(ready_) : std::span<const std::uint32_t>();
}

// If lanes are parked, or have made their steps, fewer may be left than are to be waited for.
bool PoolSource::enough_ready() const {
    return ready_.size() >= std::min<std::size_t>(least_, site_.lanes.running() - finished_.size());
}

Status PoolSource::begin_batch(bool /*anew*/) {
    ready_.insert(ready_.end(), finished_.begin(), finished_.end());
    std::ranges::sort(ready_);
    finished_.clear();
    return {};
}

// The rings of lanes that were parked have no frames of the batch.
void PoolSource::finish_batch(BatchExtent& extent) {
    align(rings_.storage());
    while (!extent.complete()) {
        extent.record(rings_.storage());
    }
}

Status PoolSource::reset(const std::uint64_t* seeds) {
    drop_episodes(site_, nullptr);
    TENON_TRY(site_.lanes.reset(nullptr, seeds));
    ready_.clear();
    finished_.clear();
    for (std::uint32_t lane = 0; lane < lane_count(); ++lane) {
        if (site_.storage->parked()[lane] == 0) {
            ready_.push_back(lane);
        }
    }
    rings_.begin(*site_.storage, ready_);
    return {};
}

Result<std::uint32_t> PoolSource::await(StopAsked stop) {
    const Timed timed(site_.profile, site_.stepping);
    site_.episodes.begin_step();
    std::ranges::for_each(site_.of_groups, &Episodes::begin_step);
    std::uint32_t stepped = 0;
    while (!enough_ready() && !stop()) {
        const auto missing = least_ - static_cast<std::uint32_t>(ready_.size());
        TENON_TRY(site_.lanes.poll(missing, kMillisecondsBetweenStops, arrived_));
        stepped += static_cast<std::uint32_t>(arrived_.stepped.size());
        take_arrived();
    }
    return stepped;
}

void PoolSource::take_arrived() {
    Storage& desk = *site_.storage;
    const auto& [stepped, begun] = arrived_;
    site_.episodes.record(desk, desk.head(), stepped, site_.lanes.rewards());
    for (std::size_t i = 0; i < site_.of_groups.size(); ++i) {
        site_.of_groups[i].record(desk, desk.head(), stepped, site_.lanes.rewards_of_group(i));
    }
    rings_.take(desk, stepped);
    if (!begun.empty()) {
        drop_episodes(site_, site_.lanes.lost().data());
        rings_.begin(desk, begun);
    }
    Storage& rings = rings_.storage();
    for (std::uint32_t lane = 0; lane < rings.lanes(); ++lane) {
        if (desk.parked()[lane] != 0 && rings.parked()[lane] == 0) {
            rings.park(lane);
        }
    }
    for (const std::uint32_t lane : stepped) {
        const bool is_finished = batch_ > 0 && rings.view().count[lane] == batch_;
        (is_finished ? finished_ : ready_).push_back(lane);
    }
    ready_.insert(ready_.end(), begun.begin(), begun.end());
    std::ranges::sort(ready_);
}

Result<std::uint32_t> PoolSource::step(const Acting& now) {
    TENON_TRY(act(site_, now, ready_));
    const Timed timed(site_.profile, site_.stepping);
    Status begun = site_.lanes.submit(ready_);
    ready_.clear();
    return begun ? Result<std::uint32_t>(0U) : std::move(begun).error();
}

// Lanes may be in the middle of a step.
std::string PoolSource::why_unsaved() const {
    return "the lanes of a pool begin new episodes (collector.kind = \"pool\"): the resumed run is not identical";
}

}  // namespace tenon
