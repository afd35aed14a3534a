// SPDX-License-Identifier: Apache-2.0
#include "experience/env/recorded_env.hpp"

#include <algorithm>
#include <cstring>

#include "base/data/key.hpp"

namespace tenon {
namespace {

const tn_column* find(const tn_env_buffers& buffers, const std::string& key) {
    for (std::uint64_t i = 0; i < buffers.column_count; ++i) {
        const tn_str& name = buffers.columns[i]->key;
        if (key == std::string_view(name.data, name.size)) {
            return buffers.columns[i];
        }
    }
    return nullptr;
}

View view_in(const tn_env_buffers& buffers, const std::string& key) {
    return view_of(find(buffers, key)->tensor);
}

}  // namespace

RecordedEnv::RecordedEnv(const Storage& frames, const Composite& specs)
    : frames_(&frames), table_(specs), specs_(&specs), steps_(frames.ring().live_slots() - 1), at_(frames.lanes(), 0) {}

Callee<tn_env_api> RecordedEnv::callee() {
    static constexpr tn_env_api kApi = {sizeof(tn_env_api), 0, describe, bind, reset, step};
    return {.api = &kApi, .self = this, .name = "the recorded frames", .place = {}};
}

void RecordedEnv::rewind() {
    std::ranges::fill(at_, 0U);
    begun_ = false;
}

tn_status RecordedEnv::describe(void* self, tn_env_info* info) {
    const auto& env = *static_cast<RecordedEnv*>(self);
    info->specs = env.table_.data();
    info->spec_count = env.table_.size();
    info->determinism = TN_DETERMINISM_BITS;
    return TN_OK;
}

tn_status RecordedEnv::bind(void* self, const tn_env_buffers* buffers) {
    auto& env = *static_cast<RecordedEnv*>(self);
    env.columns_.clear();
    for (const Spec& spec : env.specs_->specs) {
        if (spec.role == Role::kAction) {
            continue;
        }
        const bool observes = spec.role == Role::kObservation;
        env.columns_.push_back({.recorded = env.frames_->find(spec.key),
                                .role = spec.role,
                                .here = view_in(*buffers, spec.key),
                                .final = observes ? view_in(*buffers, next_key(spec.key)) : View{}});
    }
    env.terminated_ = view_in(*buffers, "terminated");
    env.truncated_ = view_in(*buffers, "truncated");
    return TN_OK;
}

tn_status RecordedEnv::reset(void* self, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* /*seeds*/) {
    auto& env = *static_cast<RecordedEnv*>(self);
    for (std::uint32_t lane = 0; lane < env.at_.size(); ++lane) {
        if (mask != nullptr && mask[lane] == 0) {
            continue;
        }
        env.cut_after_ = env.begun_ ? env.at_[lane] : env.cut_after_;
        env.observe(lane, slot);
    }
    env.begun_ = true;
    return TN_OK;
}

tn_status RecordedEnv::step(void* self, const tn_env_step* step) {
    for (std::uint32_t lane = step->first; lane < step->first + step->count; ++lane) {
        static_cast<RecordedEnv*>(self)->step_lane(lane, step->slot, step->next_slot);
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
