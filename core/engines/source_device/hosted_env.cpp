// SPDX-License-Identifier: Apache-2.0
#include "engines/source_device/hosted_env.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/data/key.hpp"
#include "experience/env/describe.hpp"
#include "experience/env/env_buffers.hpp"
#include "experience/replay/storage_columns.hpp"
#include "plugins/plugin/host_tables.hpp"

namespace tenon {
namespace {

// Whether the row belongs to the next slot, as those of observations and extras do.
bool follows(const Spec& spec) {
    return spec.role == Role::kObservation || spec.role == Role::kExtra;
}

}  // namespace

Result<std::unique_ptr<DeviceEnv>> HostedEnv::make(const Callee<tn_env_api>& env, const tn_device_env_api* on_device,
                                                   std::shared_ptr<Device> device, std::uint32_t lanes) {
    EnvInfo info = TENON_TRY(describe_env(env));
    std::unique_ptr<HostedEnv> out(new HostedEnv(env, on_device, std::move(device), lanes));
    out->lay_out(info.specs);
    const std::pair<DeviceBlock*, std::uint64_t> blocks[] = {
        {&out->given_, out->given_.bytes},
        {&out->reset_, out->seeds_at_ + lanes * sizeof(std::uint64_t)},
        {&out->shown_, out->shown_.bytes},
        {&out->finals_, out->finals_.bytes}};
    tn_status status = TN_OK;
    for (const auto& [block, bytes] : blocks) {
        status = status == TN_OK ? make_block(*out->device_, *block, bytes) : status;
    }
    if (status == TN_OK) {
        for (const Part& part : out->parts_) {
            out->columns_.push_back(static_cast<std::byte*>(part.block->memory) + part.at);
            out->finals_of_.push_back(part.spec.role == Role::kObservation
                                          ? static_cast<std::byte*>(out->finals_.memory) + part.final_at
                                          : nullptr);
        }
        const tn_device_env_room room{.struct_size = sizeof room, .lanes = lanes, .device = &out->device_->table};
        status = call_plugin(env.name, "open", env.place, on_device->open, env.self, &room);
        status = status == TN_OK ? status : pass_on(*out->device_, status);
    }
    TENON_TRY(check_call(status, env.name, "open", env.place));
    return std::unique_ptr<DeviceEnv>(std::move(out));
}

HostedEnv::HostedEnv(const Callee<tn_env_api>& env, const tn_device_env_api* on_device, std::shared_ptr<Device> device,
                     std::uint32_t lanes)
    : env_(env), on_device_(on_device), device_(std::move(device)), lanes_(lanes) {}

HostedEnv::~HostedEnv() {
    for (DeviceBlock* block : {&given_, &reset_, &shown_, &finals_}) {
        drop_block(*device_, *block);
    }
}

tn_status HostedEnv::describe(tn_env_info& info) const {
    const tn_status described = env_.api->describe(env_.self, &info);
    info.flags |= TN_ENV_ALL_LANES;
    return described;
}

tn_status HostedEnv::save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) const {
    return pass_on(*device_, env_.state->save(env_.self, first, count, &writer));
}

tn_status HostedEnv::load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
    return pass_on(*device_, env_.state->load(env_.self, first, count, &reader));
}

tn_status HostedEnv::draw(std::uint32_t lane, std::uint8_t* pixels) const {
    return pass_on(*device_, env_.render->draw(env_.self, lane, pixels));
}

Callee<tn_env_api> HostedEnv::callee() {
    Callee<tn_env_api> out = env_;
    out.api = HostTables::env<HostedEnv>();
    out.self = this;
    out.state = env_.state != nullptr ? HostTables::state<HostedEnv>() : nullptr;
    out.render = env_.render != nullptr ? HostTables::pictures<HostedEnv>() : nullptr;
    return out;
}

DeviceEnv::Crossing HostedEnv::crossing() const {
    Crossing out{.to_device = 0, .back = 2, .at_end = 0};  // terminated and truncated
    for (const Part& part : parts_) {
        (part.block == &given_ ? out.to_device : out.back) += part.row;
        out.at_end += part.spec.role == Role::kObservation ? part.row : 0;
    }
    return out;
}

// Gives each column its place in its block and counts the bytes of the blocks. Allocates nothing.
void HostedEnv::lay_out(const Composite& specs) {
    seeds_at_ = aligned_on_device(lanes_);
    terminated_at_ = kDeviceAligned;  // the fault comes before it
    truncated_at_ = terminated_at_ + aligned_on_device(lanes_);
    shown_.bytes = truncated_at_ + aligned_on_device(lanes_);
    for (const Spec& spec : specs.specs) {
        Part part{.spec = spec,
                  .row = static_cast<std::uint64_t>(spec.shape.elements()) * size_of(spec.dtype),
                  .block = spec.role == Role::kAction ? &given_ : &shown_,
                  .view = {},
                  .final = {}};
        const std::uint64_t bytes = aligned_on_device(part.row * lanes_);
        part.at = std::exchange(part.block->bytes, part.block->bytes + bytes);
        if (spec.role == Role::kObservation) {
            part.final_at = std::exchange(finals_.bytes, finals_.bytes + bytes);
        }
        parts_.push_back(std::move(part));
    }
}

tn_status HostedEnv::bind(const tn_env_buffers& buffers) {
    for (Part& part : parts_) {
        part.view = column_of(buffers, part.spec.key);
        part.final = part.spec.role == Role::kObservation ? column_of(buffers, next_key(part.spec.key)) : View{};
    }
    terminated_ = column_of(buffers, "terminated");
    truncated_ = column_of(buffers, "truncated");
    lane_status_ = buffers.lane_status;
    return TN_OK;
}

tn_device_env_call HostedEnv::call_of(const tn_stream& stream, std::uint32_t first, std::uint32_t count) const {
    auto* const shown = static_cast<std::uint8_t*>(shown_.memory);
    return {.struct_size = sizeof(tn_device_env_call),
            .flags = 0,
            .first = first,
            .count = count,
            .stream = &stream,
            .columns = columns_.data(),
            .finals = finals_of_.data(),
            .column_count = columns_.size(),
            .terminated = shown + terminated_at_,
            .truncated = shown + truncated_at_};
}

tn_status HostedEnv::fetch(DeviceBlock& block) {
    const tn_device& table = device_->table;
    return pass_on(*device_, table.read(table.ctx, block.staged, block.memory, block.bytes));
}

std::string HostedEnv::text_of(const tn_fault& fault) const {
    return "a kernel found something wrong on " + device_->name + " in lane " + std::to_string(fault.where) +
           (fault.status == TN_INVALID_ARGUMENT ? ": an action that does not exist"
                                                : " (status " + std::to_string(fault.status) + ")");
}

tn_status HostedEnv::fault() {
    tn_fault found{};
    std::memcpy(&found, shown_.staged, sizeof found);
    if (found.status == TN_OK) {
        return TN_OK;
    }
    say(text_of(found));
    return static_cast<tn_status>(found.status);
}

DeviceLanes HostedEnv::columns_on_device() const {
    const auto* const shown = static_cast<const std::uint8_t*>(shown_.memory);
    DeviceLanes out{
        .columns = {}, .terminated = shown + terminated_at_, .truncated = shown + truncated_at_, .reward = {}};
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        out.columns.push_back({.key = parts_[i].spec.key,
                               .dtype = parts_[i].spec.dtype,
                               .row_bytes = parts_[i].row,
                               .role = parts_[i].spec.role,
                               .rows = columns_[i],
                               .finals = finals_of_[i]});
    }
    return out;
}

tn_status HostedEnv::enqueue_step(tn_fault* fault) {
    tn_stream stream = device_->stream;
    stream.fault = fault;
    const tn_device_env_call call = call_of(stream, 0, lanes_);
    return pass_on(*device_, on_device_->enqueue_step(env_.self, &call));
}

void HostedEnv::show(const Part& part, std::uint32_t slot, std::uint32_t lane) const {
    std::memcpy(row_at(part.view, slot, lane), part.block->staged + part.at + lane * part.row, part.row);
}

tn_status HostedEnv::reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    const tn_device& table = device_->table;
    const bool all = mask == nullptr || std::all_of(mask, mask + lanes_, [](std::uint8_t one) { return one != 0; });
    if (!all) {
        std::memcpy(reset_.staged, mask, lanes_);
    }
    if (seeds != nullptr) {
        std::memcpy(reset_.staged + seeds_at_, seeds, lanes_ * sizeof(std::uint64_t));
    }
    if (!all || seeds != nullptr) {
        if (const tn_status sent = table.write(table.ctx, reset_.memory, reset_.staged, reset_.bytes); sent != TN_OK) {
            return pass_on(*device_, sent);
        }
    }
    tn_stream stream = device_->stream;
    stream.fault = static_cast<tn_fault*>(shown_.memory);
    const tn_device_env_call call = call_of(stream, 0, lanes_);
    const auto* const memory = static_cast<const std::uint8_t*>(reset_.memory);
    const tn_status enqueued = on_device_->enqueue_reset(
        env_.self, &call, all ? nullptr : memory,
        seeds == nullptr ? nullptr : reinterpret_cast<const std::uint64_t*>(memory + seeds_at_));
    if (enqueued != TN_OK) {
        return pass_on(*device_, enqueued);
    }
    if (const tn_status got = fetch(shown_); got != TN_OK) {
        return got;
    }
    for (const Part& part : parts_) {
        for (std::uint32_t lane = 0; follows(part.spec) && lane < lanes_; ++lane) {
            if (all || mask[lane] != 0) {
                show(part, slot, lane);
            }
        }
    }
    return fault();
}

tn_status HostedEnv::step(const tn_env_step& call) {
    const tn_device& table = device_->table;
    const std::uint32_t end = call.first + call.count;
    for (const Part& part : parts_) {
        for (std::uint32_t lane = call.first; part.block == &given_ && lane < end; ++lane) {
            std::memcpy(given_.staged + part.at + lane * part.row, row_at(part.view, call.slot, lane), part.row);
        }
    }
    if (const tn_status sent = table.write(table.ctx, given_.memory, given_.staged, given_.bytes); sent != TN_OK) {
        return pass_on(*device_, sent);
    }
    tn_stream stream = device_->stream;
    stream.fault = static_cast<tn_fault*>(shown_.memory);
    const tn_device_env_call enqueued = call_of(stream, call.first, call.count);
    if (const tn_status done = on_device_->enqueue_step(env_.self, &enqueued); done != TN_OK) {
        return pass_on(*device_, done);
    }
    if (const tn_status got = fetch(shown_); got != TN_OK) {
        return got;
    }
    if (const tn_status wrong = fault(); wrong != TN_OK) {
        return wrong;
    }
    const auto* const terminated = reinterpret_cast<const std::uint8_t*>(shown_.staged + terminated_at_);
    const auto* const truncated = reinterpret_cast<const std::uint8_t*>(shown_.staged + truncated_at_);
    bool ends = false;
    for (std::uint32_t lane = call.first; lane < end; ++lane) {
        if (!is_parked(lane)) {
            *static_cast<std::uint8_t*>(row_at(terminated_, call.slot, lane)) = terminated[lane];
            *static_cast<std::uint8_t*>(row_at(truncated_, call.slot, lane)) = truncated[lane];
            ends = ends || (terminated[lane] | truncated[lane]) != 0;
        }
    }
    for (const Part& part : parts_) {
        const std::uint32_t slot = follows(part.spec) ? call.next_slot : call.slot;
        for (std::uint32_t lane = call.first; part.block == &shown_ && lane < end; ++lane) {
            if (!is_parked(lane)) {
                show(part, slot, lane);
            }
        }
    }
    if (!ends) {
        return TN_OK;
    }
    if (const tn_status got = fetch(finals_); got != TN_OK) {
        return got;
    }
    for (const Part& part : parts_) {
        for (std::uint32_t lane = call.first; part.final.data != nullptr && lane < end; ++lane) {
            if (!is_parked(lane) && (terminated[lane] | truncated[lane]) != 0) {
                std::memcpy(row_at(part.final, call.slot, lane), finals_.staged + part.final_at + lane * part.row,
                            part.row);
            }
        }
    }
    return TN_OK;
}

}  // namespace tenon
