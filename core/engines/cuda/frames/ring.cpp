// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/frames/ring.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/data/key.hpp"
#include "base/device/own_kernels.hpp"
#include "engines/cuda/frames/gather.hpp"

namespace tenon::frames {
namespace {

// Whether the device keeps the column. The host computes is_init, from how the episode before ended.
bool is_kept(const StorageColumn& column) {
    return column.key != "is_init";
}

std::int32_t real_bytes_of(DType dtype) {
    return is_float(dtype) ? static_cast<std::int32_t>(size_of(dtype)) : 0;
}

}  // namespace

Result<std::unique_ptr<DeviceRing>> make_ring(Storage& storage, std::shared_ptr<Device> device, DeviceLanes lanes,
                                              std::uint32_t most_steps) {
    return Ring::make(storage, std::move(device), std::move(lanes), most_steps);
}

Result<std::unique_ptr<DeviceRing>> Ring::make(Storage& storage, std::shared_ptr<Device> device, DeviceLanes lanes,
                                               std::uint32_t most_steps) {
    std::unique_ptr<Ring> out(new Ring(storage, std::move(device), std::move(lanes), most_steps));
    TENON_TRY(out->build());
    return std::unique_ptr<DeviceRing>(std::move(out));
}

Result<std::unique_ptr<DeviceGather>> Ring::make_gather(const SamplerPlan& sampler, std::span<const std::string> keys,
                                                        std::string_view reader, std::uint32_t rows) const {
    return Gather::make(*this, sampler, keys, reader, rows);
}

Ring::~Ring() {
    for (std::byte* const memory : memory_) {
        device_->table.free(device_->table.ctx, memory);
    }
    drop_block(*device_, log_);
}

Result<std::byte*> Ring::allocate(std::uint64_t bytes) {
    void* memory = nullptr;
    TENON_TRY(told(*device_, device_->table.alloc(device_->table.ctx, bytes, &memory)));
    memory_.push_back(static_cast<std::byte*>(memory));
    return memory_.back();
}

const DevicePlace* Ring::place_of_env(std::string_view key) const {
    const auto found = std::ranges::find(lanes_.columns, key, &DevicePlace::key);
    return found == lanes_.columns.end() ? nullptr : &*found;
}

const Ring::Column* Ring::find(std::string_view key) const {
    const auto found = std::ranges::find(columns_, key, &Column::key);
    return found == columns_.end() ? nullptr : &*found;
}

void* Ring::present(std::string_view key) const {
    if (const Column* const column = find(key); column != nullptr) {
        return column->present.rows;
    }
    const DevicePlace* const place = place_of_env(key);
    return place != nullptr ? place->rows : nullptr;
}

std::byte* Ring::rows(std::string_view key) const {
    const Column* const column = find(key);
    return column == nullptr ? nullptr : column->rows;
}

std::byte* Ring::finals(std::string_view key) const {
    const Column* const column = find(key);
    return column == nullptr ? nullptr : column->finals;
}

// Columns that policies write come first. So a fault is reported for them, and not for columns that follow from them.
Status Ring::build() {
    Kernels kernels = TENON_TRY(load_kernels(*device_));
    kernels_ = kernels;
    for (const bool acted : {true, false}) {
        for (const StorageColumn& column : storage_.columns()) {
            const bool now = is_kept(column) && acted == (column.role == Role::kAction || column.role == Role::kExtra);
            TENON_TRY(now ? add_column(column) : Status());
        }
    }
    return make_log();
}

Status Ring::add_column(const StorageColumn& column) {
    Column out{.key = column.key,
               .role = column.role,
               .row_bytes = row_bytes(column),
               .view = column.view,
               .final = column.final};
    const std::uint64_t lanes = storage_.lanes();
    const std::uint64_t bytes = std::uint64_t{storage_.slots()} * lanes * out.row_bytes;
    out.rows = TENON_TRY(allocate(bytes));
    if (column.final.data != nullptr) {
        out.finals = TENON_TRY(allocate(bytes));
    }
    if (const DevicePlace* const place = place_of_env(column.key); place != nullptr) {
        out.present = *place;
    } else if (is_end_flag(column.key)) {
        const std::uint8_t* const flags = column.key == "terminated" ? lanes_.terminated : lanes_.truncated;
        out.present = {.key = column.key, .dtype = column.dtype, .row_bytes = 1};
        out.present.rows = const_cast<std::uint8_t*>(flags);  // it is only read
    } else {
        std::byte* own = TENON_TRY(allocate(lanes * out.row_bytes));
        out.present = {.key = column.key, .dtype = column.dtype, .row_bytes = out.row_bytes, .role = column.role};
        out.present.rows = own;
        out.is_own = true;
    }
    columns_.push_back(std::move(out));
    return {};
}

// The log has the rewards and ends of steps, by step, and the newest observations.
Status Ring::make_log() {
    const std::size_t lanes = storage_.lanes();
    const DevicePlace& reward = *place_of_env(lanes_.reward);
    std::size_t end = aligned_on_device(static_cast<std::size_t>(Source::kCount) * sizeof(tn_fault));
    const auto room = [&](std::size_t bytes) { return std::exchange(end, end + aligned_on_device(bytes)); };
    rewards_at_ = room(most_steps_ * lanes * reward.row_bytes);
    terminated_at_ = room(most_steps_ * lanes);
    truncated_at_ = room(most_steps_ * lanes);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].role == Role::kObservation) {
            newest_at_.emplace_back(i, room(lanes * columns_[i].row_bytes));
        }
    }
    TENON_TRY(said(make_block(*device_, log_, end)));
    auto* const log = static_cast<std::byte*>(log_.memory);
    std::vector<KeptColumn> all;
    const auto add = [&](const DevicePlace& from, std::byte* to, Where where) {
        all.push_back({.now = static_cast<const std::byte*>(from.rows),
                       .final_now = nullptr,
                       .rows = to,
                       .finals = nullptr,
                       .row_bytes = static_cast<std::int64_t>(from.row_bytes),
                       .where = where,
                       .real_bytes = 0});
        kept_keys_.push_back(from.key);
    };
    for (const Column& column : columns_) {
        const bool follows = column.role == Role::kObservation || (column.role == Role::kExtra && !column.is_own);
        add(column.present, column.rows, follows && !is_end_flag(column.key) ? Where::kNext : Where::kSlot);
        all.back().final_now = static_cast<const std::byte*>(column.present.finals);
        all.back().finals = column.finals;
        all.back().real_bytes = real_bytes_of(column.present.dtype);
    }
    ring_count_ = static_cast<std::uint32_t>(all.size());
    add(reward, log + rewards_at_, Where::kStep);
    for (const auto& [flags, at] : {std::pair(lanes_.terminated, terminated_at_), {lanes_.truncated, truncated_at_}}) {
        DevicePlace place{.key = "", .dtype = DType::kBool, .row_bytes = 1};
        place.rows = const_cast<std::uint8_t*>(flags);
        add(place, log + at, Where::kStep);
    }
    for (const auto& [column, at] : newest_at_) {
        add(columns_[column].present, log + at, Where::kOnce);
    }
    keeping_count_ = static_cast<std::uint32_t>(all.size());
    std::byte* on_device = TENON_TRY(allocate(all.size() * sizeof(KeptColumn)));
    keeping_ = reinterpret_cast<const KeptColumn*>(on_device);
    return told(*device_,
                device_->table.write(device_->table.ctx, on_device, all.data(), all.size() * sizeof(KeptColumn)));
}

// Copies `count` slots from `first` on, wrapping around the end of the ring.
Status Ring::copy_slots(std::uint32_t first, std::uint32_t count, bool to_host) {
    const tn_device& table = device_->table;
    const auto copy = [&](void* here, std::byte* on_device, std::size_t slot_bytes, std::uint32_t from,
                          std::uint32_t n) {
        auto* const host = static_cast<std::byte*>(here) + from * slot_bytes;
        on_device += from * slot_bytes;
        return n == 0 ? Status()
                      : told(*device_, to_host ? table.read(table.ctx, host, on_device, n * slot_bytes)
                                               : table.write(table.ctx, on_device, host, n * slot_bytes));
    };
    const std::uint32_t before = std::min(count, storage_.slots() - first);
    for (const Column& column : columns_) {
        const std::size_t slot_bytes = storage_.lanes() * column.row_bytes;
        for (const auto& [here, on_device] :
             {std::pair(column.view.data, column.rows), {column.final.data, column.finals}}) {
            if (on_device != nullptr) {
                TENON_TRY(copy(here, on_device, slot_bytes, first, before));
                TENON_TRY(copy(here, on_device, slot_bytes, 0, count - before));
            }
        }
    }
    return {};
}

Status Ring::take_newest() {
    if (!std::exchange(is_older_, false)) {
        return {};
    }
    newer_ = 0;
    const std::uint32_t live = storage_.ring().live_slots();
    TENON_TRY(copy_slots(storage_.slot_back(live - 1), live, false));
    for (const auto& [column, at] : newest_at_) {
        TENON_TRY(send_present(columns_[column].key));
    }
    return {};
}

Status Ring::send_present(std::string_view key) {
    const Column* const column = find(key);
    if (column == nullptr) {
        return plugin_problem("the column '" + std::string(key) + "' is not stored, and not on " + device_->name);
    }
    const tn_device& table = device_->table;
    return told(*device_, table.write(table.ctx, column->present.rows, row_at(column->view, storage_.head(), 0),
                                      storage_.lanes() * column->row_bytes));
}

Status Ring::keep() {
    KeepWork work{.columns = keeping_,
                  .count = keeping_count_,
                  .lanes = storage_.lanes(),
                  .slot = storage_.head(),
                  .next = storage_.slot_after(storage_.head()),
                  .step = kept_,
                  .terminated = lanes_.terminated,
                  .truncated = lanes_.truncated,
                  .fault = fault(Source::kKeeping)};
    ++kept_;
    newer_ = std::min(newer_ + 1, storage_.slots() - 1);
    return launch_rows(*device_, kernels_, Kernel::kKeep, std::uint64_t{work.count} * work.lanes, &work);
}

Result<Ring::Looked> Ring::look() {
    const tn_device& table = device_->table;
    const std::uint64_t bytes = kept_ > 0 ? log_.bytes : rewards_at_;  // otherwise only the faults
    TENON_TRY(told(*device_, table.read(table.ctx, log_.staged, log_.memory, bytes)));
    for (const auto& [column, at] : newest_at_) {
        if (kept_ > 0) {
            std::memcpy(row_at(columns_[column].view, storage_.head(), 0), log_.staged + at,
                        storage_.lanes() * columns_[column].row_bytes);
        }
    }
    return Looked{.steps = std::exchange(kept_, 0),
                  .faults = {reinterpret_cast<const tn_fault*>(log_.staged), static_cast<std::size_t>(Source::kCount)}};
}

void Ring::show(std::uint32_t step, std::uint32_t slot, std::span<double> rewards) const {
    const std::size_t lanes = storage_.lanes();
    const DevicePlace& reward = *place_of_env(lanes_.reward);
    const std::byte* const sums = log_.staged + rewards_at_ + step * lanes * reward.row_bytes;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        rewards[lane] = reward.dtype == DType::kF64 ? reinterpret_cast<const double*>(sums)[lane]
                                                    : static_cast<double>(reinterpret_cast<const float*>(sums)[lane]);
    }
    const auto* const terminated = reinterpret_cast<const std::uint8_t*>(log_.staged + terminated_at_ + step * lanes);
    const auto* const truncated = reinterpret_cast<const std::uint8_t*>(log_.staged + truncated_at_ + step * lanes);
    const StepFlags& flags = storage_.flags();
    std::copy_n(terminated, lanes, flags.terminated + std::size_t{slot} * lanes);
    std::copy_n(truncated, lanes, flags.truncated + std::size_t{slot} * lanes);
    flags.begin_after(slot, storage_.slot_after(slot));
}

std::string Ring::place_of(const tn_fault& fault) const {
    return "the column '" + kept_keys_[fault.where / storage_.lanes()] + "' in lane " +
           std::to_string(fault.where % storage_.lanes());
}

Status Ring::fetch_to_host() {
    const std::uint32_t steps = std::exchange(newer_, 0);
    return steps == 0 ? Status() : copy_slots(storage_.slot_back(steps), steps + 1, true);
}

// The host already has the newest observations, and no reader needs the older ones any more.
Status Ring::rewind() {
    newer_ = 0;
    MoveWork work{
        .columns = keeping_, .count = ring_count_, .lanes = storage_.lanes(), .from = storage_.head(), .to = 0};
    return work.from == 0
               ? Status()
               : launch_rows(*device_, kernels_, Kernel::kMove, std::uint64_t{work.count} * work.lanes, &work);
}

}  // namespace tenon::frames
