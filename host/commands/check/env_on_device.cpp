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

namespace tenon {
namespace {

constexpr const char* kReset = "enqueue_reset";
constexpr const char* kStep = "enqueue_step";

EnvOnDevice& env_of(void* self) {
    return *static_cast<EnvOnDevice*>(self);
}

View view_among(const tn_env_buffers& buffers, std::string_view key) {
    const tn_tensor* const found = find_tensor(buffers, key);
    return found == nullptr ? View{} : view_of(*found);
}

}  // namespace

Result<std::unique_ptr<EnvOnDevice>> EnvOnDevice::make(const Callee<tn_env_api>& env,
                                                       const tn_device_env_api* on_device, std::string_view device,
                                                       std::uint32_t lanes, bool is_newer) {
    EnvInfo info = TENON_TRY(describe_env(env));
    std::unique_ptr<EnvOnDevice> out(new EnvOnDevice(env, on_device, lanes, is_newer));
    out->device_ = TENON_TRY(WatchedDevice::open(device));
    Status made = out->make_arrays(info.specs);
    made = made ? out->open() : std::move(made);
    return made ? Result<std::unique_ptr<EnvOnDevice>>(std::move(out)) : std::move(made).error();
}

EnvOnDevice::EnvOnDevice(const Callee<tn_env_api>& env, const tn_device_env_api* on_device, std::uint32_t lanes,
                         bool is_newer)
    : env_(env), on_device_(on_device), lanes_(lanes), is_newer_(is_newer) {
    table_.struct_size = sizeof table_;
    table_.describe = [](void* self, tn_env_info* info) {
        const auto& its = env_of(self).env_;
        return its.api->describe(its.self, info);
    };
    table_.bind = [](void* self, const tn_env_buffers* buffers) { return env_of(self).bind(*buffers); };
    table_.reset = [](void* self, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        return env_of(self).reset(slot, mask, seeds);
    };
    table_.step = [](void* self, const tn_env_step* call) { return env_of(self).step(*call); };
    state_.struct_size = sizeof state_;
    state_.save = [](void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) {
        const auto& its = env_of(self).env_;
        return its.state->save(its.self, first, count, writer);
    };
    state_.load = [](void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) {
        const auto& its = env_of(self).env_;
        return its.state->load(its.self, first, count, reader);
    };
}

Callee<tn_env_api> EnvOnDevice::callee() {
    Callee<tn_env_api> out = env_;
    out.api = &table_;
    out.self = this;
    out.state = env_.state != nullptr ? &state_ : nullptr;
    out.render = nullptr;
    return out;
}

Status EnvOnDevice::make_arrays(const Composite& specs) {
    Status status;
    const auto make = [&](DeviceArray& array, std::size_t bytes, const std::string& name) {
        Result<DeviceArray> made = status ? device_->array(bytes, name) : std::move(status).error();
        if (made) {
            array = std::move(*made);
        } else {
            status = std::move(made).error();
        }
    };
    const auto add = [&](Part part) {
        make(part.array, part.row * lanes_, "the column '" + part.key + "'");
        if (part.is_observation) {
            make(part.final, part.row * lanes_, "the column '" + next_key(part.key) + "'");
        }
        parts_.push_back(std::move(part));
    };
    for (const Spec& spec : specs.specs) {
        Part part;
        part.key = spec.key;
        part.row = static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype);
        part.is_action = spec.role == Role::kAction;
        part.is_observation = spec.role == Role::kObservation;
        part.is_next = part.is_observation || spec.role == Role::kExtra;
        add(std::move(part));
    }
    for (const char* const flag : {"terminated", "truncated"}) {
        Part part;
        part.key = flag;
        part.row = 1;
        add(std::move(part));
    }
    make(mask_, lanes_, "the array 'mask'");
    make(seeds_, lanes_ * sizeof(std::uint64_t), "the array 'seeds'");
    return status;
}

Status EnvOnDevice::open() {
    const Tailed<tn_device_env_room> room({.struct_size = 0, .lanes = lanes_, .device = &device_->table()}, is_newer_);
    return env_.call("open", on_device_->open, &room.value);
}

tn_status EnvOnDevice::bind(const tn_env_buffers& buffers) {
    for (Part& part : parts_) {
        part.view = view_among(buffers, part.key);
        part.final_view = part.is_observation ? view_among(buffers, next_key(part.key)) : View{};
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
        Status put = device_->put(part.array);
        put = put && part.is_observation ? device_->put(part.final) : std::move(put);
        if (!put) {
            return put;
        }
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
    Status status = give(slot, slot);
    for (const DeviceArray* array : {&mask_, &seeds_}) {
        status = status ? device_->put(*array) : std::move(status);
    }
    if (!status) {
        return status;
    }
    const auto call = [&](const tn_device_env_call* enqueued) {
        return call_plugin(env_.name, kReset, env_.place, on_device_->enqueue_reset, env_.self, enqueued,
                           mask != nullptr ? static_cast<const std::uint8_t*>(mask_.memory) : nullptr,
                           seeds != nullptr ? static_cast<const std::uint64_t*>(seeds_.memory) : nullptr);
    };
    status = enqueue(kReset, 0, lanes_, call, done);
    for (const DeviceArray* array : {&mask_, &seeds_}) {
        status = status ? device_->expect_unchanged(kReset, *array) : std::move(status);
    }
    if (!status || done != TN_OK) {
        return status;
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
