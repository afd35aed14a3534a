// SPDX-License-Identifier: Apache-2.0
// Lanes that were lost with their process, or with a remote simulator of their env. The interrupted step is discarded:
// the episode ends with the previous step, and a new episode takes this step, so that every frame comes from the env.
#include <algorithm>
#include <utility>

#include "experience/env/lanes_state.hpp"

namespace tenon {
namespace {

constexpr std::uint8_t kLost = LostLanes::kStatus;

}  // namespace

// If a process ends in the middle of a step, later transforms must not see rows that this transform did not write.
bool Lanes::State::is_lost(const Callee<tn_transform_api>& transform, std::uint32_t first, std::uint32_t count) {
    if (transform.lost == nullptr || !transform.lost->any) {
        return false;
    }
    for (std::uint32_t lane = first; lane < first + count; ++lane) {
        faults.status[lane] = faults.status[lane] == 0 ? kLost : faults.status[lane];
    }
    return true;
}

bool Lanes::State::is_any_lost(std::uint32_t first, std::uint32_t count) const {
    const auto* const begin = faults.status.data() + first;
    return !transforms.empty() && std::find(begin, begin + count, kLost) != begin + count;
}

void Lanes::State::note_lost_lanes() {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (faults.status[lane] != TN_LOST || storage->parked()[lane] != 0) {
            continue;
        }
        lost_by_status.any = true;
        lost_by_status.lanes[lane] = 1;
        faults.status[lane] = kLost;
        const std::string& reason = faults.reasons[lane];
        std::string said = reason.substr(std::min(reason.size(), reason.find(": ") + 2));
        if (std::ranges::find(lost_by_status.sentences, said) == lost_by_status.sentences.end()) {
            lost_by_status.sentences.push_back(std::move(said));
        }
    }
}

bool Lanes::State::any_lost_apart() const {
    const auto has_lost = [](const auto& each) { return each.lost != nullptr && each.lost->any; };
    return std::ranges::any_of(env.layers(), has_lost) || std::ranges::any_of(transforms, has_lost);
}

// Whether any running lane was lost since the last call; marks these lanes in `done` and `lost`.
bool Lanes::State::take_lost() {
    const auto parked = storage->parked();
    bool any = false;
    std::fill(done.begin(), done.end(), std::uint8_t{0});
    const auto take = [&](LostLanes* from, const auto& callee) {
        if (from == nullptr || !from->any) {
            return;
        }
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const bool now = from->lanes[lane] != 0 && parked[lane] == 0;
            done[lane] = now ? 1 : done[lane];
            any = any || now;
            from->lanes[lane] = 0;
        }
        from->any = false;
        for (std::string& sentence : from->sentences) {
            notices.push_back(callee.problem(sentence));
        }
        from->sentences.clear();
    };
    for (const Callee<tn_env_api>& layer : env.layers()) {
        take(layer.lost, layer);
    }
    take(&lost_by_status, env.env());
    for (const Callee<tn_transform_api>& transform : transforms) {
        take(transform.lost, transform);
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (done[lane] == 0) {
            continue;
        }
        lost[lane] = 1;
        cut[lane] = 0;
        if (faults.status[lane] == kLost) {
            faults.status[lane] = 0;
            faults.reasons[lane].clear();
        }
    }
    return any;
}

// Begins new episodes at `slot` until no lane is lost, because a new episode may be lost as well.
Status Lanes::State::begin_lost(std::uint32_t slot) {
    while (take_lost()) {
        TENON_TRY(begin_episodes(slot, nullptr));
    }
    return {};
}

Status Lanes::State::repeat_lost_lanes(std::uint32_t slot, std::uint32_t next) {
    while (any_lost()) {
        TENON_TRY(begin_lost(slot));
        std::vector<std::uint8_t> others(lanes);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            others[lane] = lost[lane] == 0 || faults.status[lane] != 0 ? 1 : 0;
        }
        const auto step = [&](std::uint32_t first, std::uint32_t count) { return step_live(slot, next, first, count); };
        TENON_TRY(each_live_run(others.data(), 0, lanes, step));
        note_lost();
    }
    return {};
}

}  // namespace tenon
