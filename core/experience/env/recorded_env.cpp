// SPDX-License-Identifier: Apache-2.0
#include "experience/env/recorded_env.hpp"

#include <algorithm>
#include <cstring>

#include "base/data/key.hpp"
#include "experience/env/env_buffers.hpp"
#include "plugins/plugin/host_tables.hpp"

namespace tenon {
RecordedEnv::RecordedEnv(const Storage& frames, const Composite& specs)
    : frames_(&frames), table_(specs), specs_(&specs), steps_(frames.ring().live_slots() - 1), at_(frames.lanes(), 0) {}

Callee<tn_env_api> RecordedEnv::callee() {
    return {.api = HostTables::env<RecordedEnv>(), .self = this, .name = "the recorded frames", .place = {}};
}

void RecordedEnv::rewind() {
    std::ranges::fill(at_, 0U);
    begun_ = false;
}

tn_status RecordedEnv::describe(tn_env_info& info) const {
    info.specs = table_.data();
    info.spec_count = table_.size();
    info.determinism = TN_DETERMINISM_BITS;
    return TN_OK;
}

tn_status RecordedEnv::bind(const tn_env_buffers& buffers) {
    columns_.clear();
    for (const Spec& spec : specs_->specs) {
        if (spec.role == Role::kAction) {
            continue;
        }
        const bool observes = spec.role == Role::kObservation;
        columns_.push_back({.recorded = frames_->find(spec.key),
                            .role = spec.role,
                            .here = column_of(buffers, spec.key),
                            .final = observes ? column_of(buffers, next_key(spec.key)) : View{}});
    }
    terminated_ = column_of(buffers, "terminated");
    truncated_ = column_of(buffers, "truncated");
    return TN_OK;
}

tn_status RecordedEnv::reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* /*seeds*/) {
    for (std::uint32_t lane = 0; lane < at_.size(); ++lane) {
        if (mask != nullptr && mask[lane] == 0) {
            continue;
        }
        cut_after_ = begun_ ? at_[lane] : cut_after_;
        observe(lane, slot);
    }
    begun_ = true;
    return TN_OK;
}

tn_status RecordedEnv::step(const tn_env_step& step) {
    for (std::uint32_t lane = step.first; lane < step.first + step.count; ++lane) {
        step_lane(lane, step.slot, step.next_slot);
    }
    return TN_OK;
}

void RecordedEnv::step_lane(std::uint32_t lane, std::uint32_t slot, std::uint32_t next) {
    const std::uint32_t from = slot_of(at_[lane]);
    const std::size_t flag = std::size_t{from} * frames_->lanes() + lane;
    *static_cast<std::uint8_t*>(row_at(terminated_, slot, lane)) = frames_->flags().terminated[flag];
    *static_cast<std::uint8_t*>(row_at(truncated_, slot, lane)) = frames_->flags().truncated[flag];
    for (const Column& column : columns_) {
        if (column.recorded == nullptr) {
            continue;  // the host has zeroed its memory
        }
        const std::size_t bytes = row_bytes(*column.recorded);
        if (is_outcome(column.role)) {
            std::memcpy(row_at(column.here, slot, lane), row_at(column.recorded->view, from, lane), bytes);
        } else if (column.final.data != nullptr && frames_->flags().ended(from, lane)) {
            std::memcpy(row_at(column.final, slot, lane), row_at(column.recorded->final, from, lane), bytes);
        }
    }
    ++at_[lane];
    observe(lane, next);
}

void RecordedEnv::observe(std::uint32_t lane, std::uint32_t slot) const {
    for (const Column& column : columns_) {
        if (column.recorded != nullptr && !is_outcome(column.role)) {
            std::memcpy(row_at(column.here, slot, lane), row_at(column.recorded->view, slot_of(at_[lane]), lane),
                        row_bytes(*column.recorded));
        }
    }
}

}  // namespace tenon
