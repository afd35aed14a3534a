// SPDX-License-Identifier: Apache-2.0
// Collecting from a pool of lanes that step by themselves (collector.kind = "pool"): those that are ready act, while
// others still make their step.
#include <algorithm>
#include <utility>

#include "train/collect/collector.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kMillisecondsBetweenStops = 100;

}  // namespace

void Collector::pool(LaneRings rings, std::uint32_t ready, std::uint32_t batch) {
    pooled_ = std::make_unique<Pooled>(Pooled{.rings = std::move(rings), .least = ready, .batch = batch});
    pooled_->ready.reserve(lanes_.count());
    pooled_->finished.reserve(lanes_.count());
    pooled_->arrived.stepped.reserve(lanes_.count());
    pooled_->arrived.begun.reserve(lanes_.count());
}

std::span<const std::uint32_t> Collector::ready() const {
    return enough_ready() ? std::span<const std::uint32_t>(pooled_->ready) : std::span<const std::uint32_t>();
}

// If lanes are parked, or have made their steps, fewer may be left than are to be waited for.
bool Collector::enough_ready() const {
    return pooled_->ready.size() >= std::min<std::size_t>(pooled_->least, lanes_.running() - pooled_->finished.size());
}

bool Collector::batch_is_complete() const {
    return pooled_->finished.size() == lanes_.running();
}

void Collector::begin_batch() {
    std::vector<std::uint32_t>& ready = pooled_->ready;
    ready.insert(ready.end(), pooled_->finished.begin(), pooled_->finished.end());
    std::ranges::sort(ready);
    pooled_->finished.clear();
}

// After a reset of all lanes.
void Collector::begin_pool() {
    pooled_->ready.clear();
    pooled_->finished.clear();
    for (std::uint32_t lane = 0; lane < lanes_.count(); ++lane) {
        if (storage_->parked()[lane] == 0) {
            pooled_->ready.push_back(lane);
        }
    }
    pooled_->rings.begin(*storage_, pooled_->ready);
}

Result<std::uint32_t> Collector::await_ready(StopAsked stop) {
    const Timed timed(profile_, stepping_);
    episodes_.begin_step();
    std::uint32_t stepped = 0;
    while (!enough_ready() && !stop()) {
        const auto missing = pooled_->least - static_cast<std::uint32_t>(pooled_->ready.size());
        TENON_TRY(lanes_.poll(missing, kMillisecondsBetweenStops, pooled_->arrived));
        stepped += static_cast<std::uint32_t>(pooled_->arrived.stepped.size());
        take_arrived();
    }
    return stepped;
}

void Collector::take_arrived() {
    const auto& [stepped, begun] = pooled_->arrived;
    episodes_.record(*storage_, storage_->head(), stepped, lanes_.rewards());
    pooled_->rings.take(*storage_, stepped);
    if (!begun.empty()) {
        episodes_.drop(lanes_.lost().data());
        pooled_->rings.begin(*storage_, begun);
    }
    Storage& rings = pooled_->rings.storage();
    for (std::uint32_t lane = 0; lane < rings.lanes(); ++lane) {
        if (storage_->parked()[lane] != 0 && rings.parked()[lane] == 0) {
            rings.park(lane);
        }
    }
    for (const std::uint32_t lane : stepped) {
        const bool is_finished = pooled_->batch > 0 && rings.view().count[lane] == pooled_->batch;
        (is_finished ? pooled_->finished : pooled_->ready).push_back(lane);
    }
    pooled_->ready.insert(pooled_->ready.end(), begun.begin(), begun.end());
    std::ranges::sort(pooled_->ready);
}

Status Collector::act_ready(const RunNumbers& numbers, std::uint64_t counter, bool randomly) {
    {
        const Timed timed(profile_, acting_);
        if (actor_ && (!randomly || actor_->remembers())) {
            TENON_TRY(actor_->act(*storage_, numbers, counter, pooled_->ready));
        }
        if (random_ && (randomly || !actor_)) {
            random_->act(*storage_, counter, pooled_->ready);
        }
    }
    const Timed timed(profile_, stepping_);
    Status begun = lanes_.submit(pooled_->ready);
    pooled_->ready.clear();
    return begun;
}

}  // namespace tenon
