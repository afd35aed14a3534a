// SPDX-License-Identifier: Apache-2.0
// Validates the output of lanes before it is read. A lane whose reward or observation is not finite is parked, as if
// its env had given it up. The env's own columns are checked first, then those after each transform: so transforms that
// learn from all lanes never see NaN, and whoever makes it is named.
#include <algorithm>

#include "base/data/key.hpp"
#include "experience/env/lanes_state.hpp"
#include "experience/env/row_values.hpp"

namespace tenon {
namespace {

bool all_finite(const std::vector<WatchedColumn>& columns, std::uint32_t slot, std::uint32_t first,
                std::uint32_t count) {
    return std::all_of(columns.begin(), columns.end(),
                       [&](const WatchedColumn& column) { return is_finite(column.view, slot, first, count); });
}

}  // namespace

WatchedSide Lanes::State::watch(std::size_t side) const {
    WatchedSide out;
    for (const Spec& spec : sides[side].specs) {
        const View* const view = columns.sides[side].find(spec.key);
        const View* const final = columns.sides[side].find(next_key(spec.key));
        if (is_float(spec.dtype) && (spec.role == Role::kObservation || spec.role == Role::kReward)) {
            (spec.role == Role::kReward ? out.rewards : out.observations)
                .push_back({spec.key, *view, final == nullptr ? View{} : *final});
        }
    }
    return out;
}

void Lanes::State::distrust(std::uint32_t lane, const View& column, std::uint32_t slot, const std::string& key,
                            std::size_t side) {
    if (lane_status[lane] != 0 || is_finite(column, slot, lane, 1)) {
        return;
    }
    lane_status[lane] = TN_INTERNAL;
    blamed[lane] = side == 0 ? Blamed::of(env.blamed_for(key, slot, lane)) : Blamed::of(transforms[side - 1]);
    reasons[lane] = ": its column '" + key + "' is " + not_finite(column, slot, lane);
}

// Usually only the loops over whole ranges run; the rest handles lanes whose episode ended and finds the lanes to
// blame.
void Lanes::State::check_step(std::size_t side, std::uint32_t slot, std::uint32_t next, std::uint32_t first,
                              std::uint32_t count) {
    const WatchedSide& of = watched[side];
    if (!all_finite(of.rewards, slot, first, count) || !all_finite(of.observations, next, first, count)) {
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            for (const WatchedColumn& column : of.rewards) {
                distrust(lane, column.view, slot, column.key, side);
            }
            check_final(side, slot, lane);
            for (const WatchedColumn& column : of.observations) {
                distrust(lane, column.view, next, column.key, side);
            }
        }
        return;
    }
    const std::size_t at = std::size_t{slot} * lanes + first;
    each_either_set(storage->terminated() + at, storage->truncated() + at, count,
                    [&](std::size_t i) { check_final(side, slot, first + static_cast<std::uint32_t>(i)); });
}

// Checks the final observation of an episode that ended in this step.
void Lanes::State::check_final(std::size_t side, std::uint32_t slot, std::uint32_t lane) {
    const std::size_t at = std::size_t{slot} * lanes + lane;
    if ((storage->terminated()[at] | storage->truncated()[at]) == 0) {
        return;
    }
    for (const WatchedColumn& column : watched[side].observations) {
        if (column.final.data != nullptr && !is_finite(column.final, slot, lane, 1)) {
            distrust(lane, column.final, slot, next_key(column.key), side);
        }
    }
}

void Lanes::State::check_reset(std::size_t side, std::uint32_t slot, std::vector<std::uint8_t>& mask) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        for (const WatchedColumn& column : watched[side].observations) {
            if (mask[lane] != 0 && !trusted) {
                distrust(lane, column.view, slot, column.key, side);
            }
        }
        mask[lane] = lane_status[lane] != 0 ? 0 : mask[lane];
    }
}

}  // namespace tenon
