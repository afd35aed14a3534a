// SPDX-License-Identifier: Apache-2.0
#include "experience/env/finite_check.hpp"

#include <algorithm>

#include "base/data/flags.hpp"
#include "base/data/key.hpp"
#include "experience/env/row_values.hpp"

namespace tenon {

void FiniteCheck::bind(Makers makers, std::span<const Composite> sides, const LaneColumns& columns,
                       const Storage& storage) {
    makers_ = makers;
    storage_ = &storage;
    sides_.assign(sides.size(), {});
    for (std::size_t side = 0; side < sides.size(); ++side) {
        for (const Spec& spec : sides[side].specs) {
            const View* const view = columns.sides[side].find(spec.key);
            const View* const final = columns.sides[side].find(next_key(spec.key));
            if (is_float(spec.dtype) && (spec.role == Role::kObservation || spec.role == Role::kReward)) {
                (spec.role == Role::kReward ? sides_[side].rewards : sides_[side].observations)
                    .push_back({spec.key, *view, final == nullptr ? View{} : *final});
            }
        }
    }
}

bool FiniteCheck::all_finite(const std::vector<Watched>& columns, std::uint32_t slot, std::uint32_t first,
                             std::uint32_t count) {
    return std::ranges::all_of(columns,
                               [&](const Watched& column) { return is_finite(column.view, slot, first, count); });
}

void FiniteCheck::distrust(LaneFaults& faults, std::uint32_t lane, const View& column, std::uint32_t slot,
                           const std::string& key, std::size_t side) const {
    if (faults.status[lane] != 0 || is_finite(column, slot, lane, 1)) {
        return;
    }
    faults.status[lane] = TN_INTERNAL;
    faults.blamed[lane] =
        side == 0 ? Blamed::of(makers_.env->blamed_for(key, slot, lane)) : Blamed::of(makers_.transforms[side - 1]);
    faults.reasons[lane] = ": its column '" + key + "' is " + not_finite(column, slot, lane);
}

// Usually only the loops over whole ranges run; the rest handles lanes whose episode ended and finds the lanes to
// blame.
void FiniteCheck::check_step(LaneFaults& faults, std::size_t side, std::uint32_t slot, std::uint32_t next,
                             std::uint32_t first, std::uint32_t count) const {
    const Side& of = sides_[side];
    if (!all_finite(of.rewards, slot, first, count) || !all_finite(of.observations, next, first, count)) {
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            for (const Watched& column : of.rewards) {
                distrust(faults, lane, column.view, slot, column.key, side);
            }
            check_final(faults, side, slot, lane);
            for (const Watched& column : of.observations) {
                distrust(faults, lane, column.view, next, column.key, side);
            }
        }
        return;
    }
    const std::size_t at = std::size_t{slot} * storage_->lanes() + first;
    each_either_set(storage_->flags().terminated + at, storage_->flags().truncated + at, count,
                    [&](std::size_t i) { check_final(faults, side, slot, first + static_cast<std::uint32_t>(i)); });
}

// Checks the final observation of an episode that ended in this step.
void FiniteCheck::check_final(LaneFaults& faults, std::size_t side, std::uint32_t slot, std::uint32_t lane) const {
    if (!storage_->flags().ended(slot, lane)) {
        return;
    }
    for (const Watched& column : sides_[side].observations) {
        if (column.final.data != nullptr && !is_finite(column.final, slot, lane, 1)) {
            distrust(faults, lane, column.final, slot, next_key(column.key), side);
        }
    }
}

void FiniteCheck::reset(LaneFaults& faults, std::size_t side, std::uint32_t slot,
                        std::vector<std::uint8_t>& mask) const {
    for (std::uint32_t lane = 0; lane < storage_->lanes(); ++lane) {
        for (const Watched& column : sides_[side].observations) {
            if (mask[lane] != 0 && !trusted_) {
                distrust(faults, lane, column.view, slot, column.key, side);
            }
        }
        mask[lane] = faults.status[lane] != 0 ? 0 : mask[lane];
    }
}

}  // namespace tenon
