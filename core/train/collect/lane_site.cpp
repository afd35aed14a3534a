// SPDX-License-Identifier: Apache-2.0
#include "train/collect/lane_site.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "experience/env/summed_reward.hpp"

namespace tenon {

LaneSite::LaneSite(Lanes of, Storage to)
    : storage(std::make_unique<Storage>(std::move(to))),
      lanes(std::move(of)),
      episodes(storage->lanes()),
      of_groups(groups_with_rewards(lanes.env_info().specs).size(), Episodes(storage->lanes())),
      watch(lanes.specs(), *storage),
      every_lane(storage->lanes()) {
    std::iota(every_lane.begin(), every_lane.end(), 0U);
}

Result<LaneSite> make_site(Lanes lanes, Storage storage) {
    TENON_TRY(lanes.sum_groups());
    LaneSite out(std::move(lanes), std::move(storage));
    TENON_TRY(out.lanes.bind(*out.storage));
    return out;
}

void drop_episodes(LaneSite& site, const std::uint8_t* mask) {
    site.episodes.drop(mask);
    std::ranges::for_each(site.of_groups, [&](Episodes& group) { group.drop(mask); });
}

void record_episodes(LaneSite& site) {
    const std::uint32_t slot = site.storage->slot_before(site.storage->head());
    site.episodes.record(*site.storage, slot, site.lanes.rewards());
    for (std::size_t i = 0; i < site.of_groups.size(); ++i) {
        site.of_groups[i].record(*site.storage, slot, site.lanes.rewards_of_group(i));
    }
}

Status act(LaneSite& site, const Acting& now) {
    const Timed timed(site.profile, site.acting);
    if (site.actor && (!now.randomly || site.actor->remembers())) {
        TENON_TRY(site.actor->act(*site.storage, now.numbers, now.counter));
    } else if (site.procedure && !now.randomly) {
        return site.procedure->policy.act(site.procedure->mode, site.procedure->key, now.counter);
    }
    if (site.random && (now.randomly || !site.actor)) {
        site.random->act(*site.storage, now.counter);
    }
    return {};
}

Status act(LaneSite& site, const Acting& now, std::span<const std::uint32_t> lanes) {
    const Timed timed(site.profile, site.acting);
    if (site.actor && (!now.randomly || site.actor->remembers())) {
        TENON_TRY(site.actor->act(*site.storage, now.numbers, now.counter, lanes));
    }
    if (site.random && (now.randomly || !site.actor)) {
        site.random->act(*site.storage, now.counter, lanes);
    }
    return {};
}

Acting acting_at(const Wiring& wiring, const Standing& standing, std::span<const double> live, bool same_parameters) {
    Acting out{.numbers = numbers_at(wiring, standing, live),
               .counter = static_cast<std::uint64_t>(standing.steps),
               .randomly = wiring.learns() && standing.frames < wiring.manifest.train.start_frames};
    out.numbers.same_parameters = same_parameters;
    return out;
}

}  // namespace tenon
