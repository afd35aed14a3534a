// SPDX-License-Identifier: Apache-2.0
#include "commands/check/env_on_device.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/data/key.hpp"
#include "commands/check/tailed.hpp"
#include "experience/env/describe.hpp"
#include "experience/env/env_buffers.hpp"
#include "experience/replay/device_block.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/host_tables.hpp"

namespace tenon {
namespace {

constexpr const char* kReset = "enqueue_reset";
constexpr const char* kStep = "enqueue_step";

}  // namespace

Result<std::unique_ptr<EnvOnDevice>> EnvOnDevice::make(const Callee<tn_env_api>& env,
                                                       const tn_device_env_api* on_device, std::string_view device,
                                                       std::uint32_t lanes, bool is_newer) {
    EnvInfo info = TENON_TRY(describe_env(env));
    std::unique_ptr<EnvOnDevice> out(new EnvOnDevice(env, on_device, lanes, is_newer));
    out->device_ = TENON_TRY(WatchedDevice::open(device));
    TENON_TRY(out->make_arrays(info.specs));
    TENON_TRY(out->open());
    return out;
}

EnvOnDevice::EnvOnDevice(const Callee<tn_env_api>& env, const tn_device_env_api* on_device, std::uint32_t lanes,
                         bool is_newer)
    : env_(env), on_device_(on_device), lanes_(lanes), is_newer_(is_newer) {}

Callee<tn_env_api> EnvOnDevice::callee() {
    Callee<tn_env_api> out = env_;
    out.api = HostTables::env<EnvOnDevice>();
    out.self = this;
    out.state = env_.state != nullptr ? HostTables::state<EnvOnDevice>() : nullptr;
    out.render = nullptr;
    return out;
}

Status EnvOnDevice::make_arrays(const Composite& specs) {
    const auto add = [&](Part part) -> Status {
        part.array = TENON_TRY(device_->array(part.row * lanes_, "the column '" + part.key + "'"));
        if (part.is_observation) {
            part.final = TENON_TRY(device_->array(part.row * lanes_, "the column '" + next_key(part.key) + "'"));
        }
        parts_.push_back(std::move(part));
        return {};
    };
    for (const Spec& spec : specs.specs) {
        Part part;
        part.key = spec.key;
        part.row = static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype);
        part.is_action = spec.role == Role::kAction;
        part.is_observation = spec.role == Role::kObservation;
        part.is_next = part.is_observation || spec.role == Role::kExtra;
        TENON_TRY(add(std::move(part)));
    }
    for (const char* const flag : {"terminated", "truncated"}) {
        Part part;
        part.key = flag;
        part.row = 1;
        TENON_TRY(add(std::move(part)));
    }
    mask_ = TENON_TRY(device_->array(lanes_, "the array 'mask'"));
    seeds_ = TENON_TRY(device_->array(lanes_ * sizeof(std::uint64_t), "the array 'seeds'"));
    return {};
}

Status EnvOnDevice::open() {
    const Tailed<tn_device_env_room> room({.struct_size = 0, .lanes = lanes_, .device = &device_->table()}, is_newer_);
    return env_.call("open", on_device_->open, &room.value);
}

tn_status EnvOnDevice::bind(const tn_env_buffers& buffers) {
    for (Part& part : parts_) {
        part.view = column_of(buffers, part.key);
        part.final_view = part.is_observation ? column_of(buffers, next_key(part.key)) : View{};
    }
    return TN_OK;
}

template <class Call>
Status EnvOnDevice::enqueue(const char* function, std::uint32_t first, std::uint32_t count, const Call& call,
                            tn_status& done) {
    std::vector<void*> columns;
    std::vector<void*> finals;
    for (std::size_t i = 0; i + 2 < parts_.size(); ++i) {
        columns.push_back(parts_[i].array.memory);
        finals.push_back(parts_[i].final.memory);
    }
    done = device_->enqueue(function, [&](const tn_stream* stream) {
        const Tailed<tn_device_env_call> enqueued(
            {.struct_size = 0,
             .flags = 0,
             .first = first,
             .count = count,
             .stream = stream,
             .columns = columns.data(),
             .finals = finals.data(),
             .column_count = columns.size(),
             .terminated = static_cast<std::uint8_t*>(parts_[parts_.size() - 2].array.memory),
             .truncated = static_cast<std::uint8_t*>(parts_.back().array.memory)},
            is_newer_);
        return call(&enqueued.value);
    });
    tn_fault fault = TENON_TRY(device_->take_fault());
    fault_ = fault;
    if (done == TN_OK && fault_.status != TN_OK) {
        done = static_cast<tn_status>(fault_.status);
        say(std::string(function) + " launches a kernel that reports a fault (" + std::string(name_of_status(done)) +
            ", lane " + std::to_string(fault_.where) + "), though all actions are valid");
    }
    return {};
}

// Copies the host's rows to the device: those that are read, and those that are overwritten.
Status EnvOnDevice::give(std::uint32_t slot, std::uint32_t next_slot) {
    for (Part& part : parts_) {
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            const void* const row = row_at(part.view, part.is_next ? next_slot : slot, lane);
            std::memcpy(part.array.bytes.data() + lane * part.row, row, part.row);
            if (part.is_observation) {
                std::memcpy(part.final.bytes.data() + lane * part.row, row_at(part.final_view, slot, lane), part.row);
            }
        }
        TENON_TRY(device_->put(part.array));
        TENON_TRY(part.is_observation ? device_->put(part.final) : Status());
    }
    return {};
}

namespace {

// Copies the rows of lanes that `may` be written to the host. Returns a lane whose row has changed although it may not,
// or the number of lanes.
template <class May>
std::uint32_t take_rows(const std::vector<std::byte>& before, const std::vector<std::byte>& now, const View& view,
                        std::uint32_t slot, std::size_t row, const May& may) {
    const auto lanes = static_cast<std::uint32_t>(now.size() / row);
    std::uint32_t odd = lanes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::byte* const from = now.data() + lane * row;
        if (may(lane)) {
            std::memcpy(row_at(view, slot, lane), from, row);
        } else if (odd == lanes && std::memcmp(from, before.data() + lane * row, row) != 0) {
            odd = lane;
        }
    }
    return odd;
}

}  // namespace

template <class May>
Status EnvOnDevice::fetch(const char* function, std::uint32_t slot, std::uint32_t next_slot, const May& may) {
    for (Part& part : parts_) {
        if (part.is_action) {
            TENON_TRY(device_->expect_unchanged(function, part.array));
            continue;
        }
        DeviceArray now = part.array;
        TENON_TRY(device_->get(now));
        const std::uint32_t odd = take_rows(part.array.bytes, now.bytes, part.view, part.is_next ? next_slot : slot,
                                            part.row, [&](std::uint32_t lane) { return may(part.is_next, lane); });
        if (odd < lanes_) {
            device_->note_outside(std::string(function) + " launches a kernel that writes to " + part.array.what +
                                  " of lane " + std::to_string(odd) + ", which this call must not write");
        }
        part.array.bytes = std::move(now.bytes);
    }
    return {};
}

template <class May>
Status EnvOnDevice::fetch_finals(const char* function, std::uint32_t slot, const May& may) {
    for (Part& part : parts_) {
        if (!part.is_observation) {
            continue;
        }
        DeviceArray now = part.final;
        TENON_TRY(device_->get(now));
        const std::uint32_t odd = take_rows(part.final.bytes, now.bytes, part.final_view, slot, part.row, may);
        if (odd < lanes_) {
            device_->note_outside(std::string(function) + " launches a kernel that writes to " + part.final.what +
                                  " of lane " + std::to_string(odd) + ", which this call must not write");
        }
    }
    return {};
}

tn_status EnvOnDevice::reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    tn_status done = TN_OK;
    const Status status = enqueue_reset(slot, mask, seeds, done);
    return status_of(status, done);
}

Status EnvOnDevice::enqueue_reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds,
                                  tn_status& done) {
    if (mask != nullptr) {
        std::memcpy(mask_.bytes.data(), mask, lanes_);
    }
    if (seeds != nullptr) {
        std::memcpy(seeds_.bytes.data(), seeds, lanes_ * sizeof(std::uint64_t));
    }
    TENON_TRY(give(slot, slot));
    for (const DeviceArray* array : {&mask_, &seeds_}) {
        TENON_TRY(device_->put(*array));
    }
    const auto call = [&](const tn_device_env_call* enqueued) {
        return call_plugin(env_.name, kReset, env_.place, on_device_->enqueue_reset, env_.self, enqueued,
                           mask != nullptr ? static_cast<const std::uint8_t*>(mask_.memory) : nullptr,
                           seeds != nullptr ? static_cast<const std::uint64_t*>(seeds_.memory) : nullptr);
    };
    TENON_TRY(enqueue(kReset, 0, lanes_, call, done));
    for (const DeviceArray* array : {&mask_, &seeds_}) {
        TENON_TRY(device_->expect_unchanged(kReset, *array));
    }
    if (done != TN_OK) {
        return {};
    }
    return fetch(kReset, slot, slot,
                 [&](bool is_next, std::uint32_t lane) { return is_next && (mask == nullptr || mask[lane] != 0); });
}

tn_status EnvOnDevice::step(const tn_env_step& call) {
    tn_status done = TN_OK;
    const Status status = enqueue_step(call, done);
    return status_of(status, done);
}

Status EnvOnDevice::enqueue_step(const tn_env_step& call, tn_status& done) {
    TENON_TRY(give(call.slot, call.next_slot));
    const auto enqueued = [&](const tn_device_env_call* of_device) {
        return call_plugin(env_.name, kStep, env_.place, on_device_->enqueue_step, env_.self, of_device);
    };
    Status status = enqueue(kStep, call.first, call.count, enqueued, done);
    if (!status || done != TN_OK) {
        return status;
    }
    const auto is_stepped = [&](std::uint32_t lane) { return lane >= call.first && lane < call.first + call.count; };
    status =
        fetch(kStep, call.slot, call.next_slot, [&](bool /*is_next*/, std::uint32_t lane) { return is_stepped(lane); });
    return status ? fetch_finals(kStep, call.slot, is_stepped) : std::move(status);
}

}  // namespace tenon
