// SPDX-License-Identifier: Apache-2.0
#include "commands/check/sampler_on_device.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "commands/check/tailed.hpp"
#include "experience/replay/device_block.hpp"
#include "experience/replay/sampler_plan.hpp"
#include "plugins/plugin/host_tables.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

constexpr const char* kSample = "enqueue_sample";
constexpr const char* kPrioritise = "enqueue_prioritise";
constexpr std::byte kBehind{0x5A};  // in the part of an array that a batch does not need

SamplerOnDevice& sampler_of(void* self) {
    return *static_cast<SamplerOnDevice*>(self);
}

void copy_to(DeviceArray& array, const void* from, std::size_t bytes) {
    std::memcpy(array.bytes.data(), from, bytes);
}

}  // namespace

Result<std::unique_ptr<SamplerOnDevice>> SamplerOnDevice::make(const Callee<tn_sampler_api>& sampler,
                                                               const tn_device_sampler_api* on_device,
                                                               std::string_view device, std::uint32_t rows,
                                                               bool is_newer) {
    std::unique_ptr<SamplerOnDevice> out(new SamplerOnDevice(sampler, on_device, rows, is_newer));
    out->device_ = TENON_TRY(WatchedDevice::open(device));
    out->info_.struct_size = sizeof out->info_;
    TENON_TRY(sampler.call("plan", sampler.api->plan, &out->info_));
    out->sizes_ = column_sizes(out->info_);  // another check reads the plan
    return out;
}

SamplerOnDevice::SamplerOnDevice(const Callee<tn_sampler_api>& sampler, const tn_device_sampler_api* on_device,
                                 std::uint32_t rows, bool is_newer)
    : sampler_(sampler), on_device_(on_device), rows_(rows), is_newer_(is_newer) {
    table_.struct_size = sizeof table_;
    table_.plan = [](void* self, tn_sampler_info* info) {
        const auto& its = sampler_of(self).sampler_;
        return its.api->plan(its.self, info);
    };
    table_.sample = [](void* self, const tn_sample_call* call) { return sampler_of(self).sample(*call); };
    if (inside(*on_device_, &tn_device_sampler_api::enqueue_prioritise) && on_device_->enqueue_prioritise != nullptr) {
        table_.prioritise = [](void* self, const tn_priority_call* call) { return sampler_of(self).prioritise(*call); };
    }
}

Callee<tn_sampler_api> SamplerOnDevice::callee() {
    Callee<tn_sampler_api> out = sampler_;
    out.api = &table_;
    out.self = this;
    out.state = sampler_.state != nullptr ? HostTables::state<SamplerOnDevice>() : nullptr;
    return out;
}

Status SamplerOnDevice::make_arrays(const tn_buffer_view& view, std::uint64_t options) {
    const std::uint64_t ring = std::uint64_t{view.slots} * view.lanes;
    const std::uint64_t lanes = view.lanes * sizeof(std::uint32_t);
    const std::uint64_t pairs = std::uint64_t{info_.array_count} * rows_ * sizeof(std::uint32_t);
    const auto make = [&](DeviceArray& array, std::uint64_t bytes, const std::string& name) -> Status {
        array = TENON_TRY(device_->array(bytes, "the array '" + name + "'"));
        return {};
    };
    struct Wanted {
        DeviceArray* array;
        std::uint64_t bytes;
        std::string name;
    };
    std::vector<Wanted> wanted = {{&numbers_, sizeof(tn_sample_numbers), "numbers"},
                                  {&first_, lanes, "first"},
                                  {&count_, lanes, "count"},
                                  {&terminated_, ring, "terminated"},
                                  {&truncated_, ring, "truncated"},
                                  {&options_, options * sizeof(double), "options"},
                                  {&priorities_, rows_ * sizeof(double), "priorities"},
                                  {&slot_.array, pairs, "slot"},
                                  {&lane_.array, pairs, "lane"}};
    columns_.resize(sizes_.size());
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const tn_str key = info_.columns[i]->key;
        wanted.push_back({&columns_[i].array, std::uint64_t{rows_} * sizes_[i], std::string(key.data, key.size)});
    }
    for (const auto& [array, bytes, name] : wanted) {
        TENON_TRY(make(*array, bytes, name));
    }
    return {};
}

Status SamplerOnDevice::open(const tn_buffer_view& view, std::uint64_t options) {
    if (is_open_) {
        return {};
    }
    TENON_TRY(make_arrays(view, options));
    const Tailed<tn_device_room> room(
        {.struct_size = 0, .slots = view.slots, .lanes = view.lanes, .rows = rows_, .device = &device_->table()},
        is_newer_);
    Status opened = sampler_.call("open", on_device_->open, &room.value);
    is_open_ = static_cast<bool>(opened);
    return opened;
}

// Copies the kernels' inputs, and arrays with the contents of the caller's.
Status SamplerOnDevice::give(const tn_sample_call& call) {
    const tn_buffer_view& view = *call.view;
    const std::uint64_t lanes = view.lanes * sizeof(std::uint32_t);
    const std::uint64_t ring = std::uint64_t{view.slots} * view.lanes;
    const std::uint64_t elements = std::uint64_t{call.rows} * std::max(info_.time, 1U);
    *numbers_.as<tn_sample_numbers>() = {
        .counter = call.counter, .total = view.total, .appended = view.appended, .key = call.key};
    copy_to(first_, view.first, lanes);
    copy_to(count_, view.count, lanes);
    copy_to(terminated_, view.terminated, ring);
    copy_to(truncated_, view.truncated, ring);
    copy_to(options_, call.options, call.option_count * sizeof(double));
    for (Output* output : {&slot_, &lane_}) {
        std::ranges::fill(output->array.bytes, kBehind);
        output->used = info_.array_count * elements * sizeof(std::uint32_t);
        std::uint32_t* const* const from = output == &slot_ ? call.slots : call.lanes;
        for (std::uint32_t array = 0; array < info_.array_count; ++array) {
            std::memcpy(output->array.as<std::uint32_t>(array * elements), from[array],
                        elements * sizeof(std::uint32_t));
        }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::ranges::fill(columns_[i].array.bytes, kBehind);
        columns_[i].used = elements * sizes_[i];
        copy_to(columns_[i].array, call.columns[i], columns_[i].used);
    }
    std::vector<DeviceArray*> all = {&numbers_,   &first_,   &count_,      &terminated_,
                                     &truncated_, &options_, &slot_.array, &lane_.array};
    for (Output& column : columns_) {
        all.push_back(&column.array);
    }
    for (const DeviceArray* array : all) {
        TENON_TRY(device_->put(*array));
    }
    return {};
}

tn_status SamplerOnDevice::sample(const tn_sample_call& call) {
    if (call.view->total == 0) {
        say("the buffer holds no complete transition yet");
        return TN_FAILED_PRECONDITION;
    }
    tn_status done = TN_OK;
    const Status status = enqueue_sample(call, done);
    return status_of(status, done);
}

Status SamplerOnDevice::enqueue_sample(const tn_sample_call& call, tn_status& done) {
    TENON_TRY(give(call));
    std::vector<void*> columns;
    for (const Output& column : columns_) {
        columns.push_back(column.array.memory);
    }
    done = device_->enqueue(kSample, [&](const tn_stream* stream) {
        const Tailed<tn_device_sample_call> enqueued(
            {.struct_size = 0,
             .rows = call.rows,
             .stream = stream,
             .numbers = static_cast<const tn_sample_numbers*>(numbers_.memory),
             .first = static_cast<const std::uint32_t*>(first_.memory),
             .count = static_cast<const std::uint32_t*>(count_.memory),
             .terminated = static_cast<const std::uint8_t*>(terminated_.memory),
             .truncated = static_cast<const std::uint8_t*>(truncated_.memory),
             .slot = static_cast<std::uint32_t*>(slot_.array.memory),
             .lane = static_cast<std::uint32_t*>(lane_.array.memory),
             .columns = columns.data(),
             .options = call.option_count > 0 ? static_cast<const double*>(options_.memory) : nullptr,
             .option_count = call.option_count},
            is_newer_);
        return call_plugin(sampler_.name, kSample, sampler_.place, on_device_->enqueue_sample, sampler_.self,
                           &enqueued.value);
    });
    const std::array<const DeviceArray*, 6> inputs = {&numbers_,    &first_,     &count_,
                                                      &terminated_, &truncated_, &options_};
    Status looked = look(kSample, inputs, done);
    if (!looked || done != TN_OK) {
        return looked;
    }
    for (Output* output : {&slot_, &lane_}) {
        TENON_TRY(fetch(*output));
        std::uint32_t* const* const to = output == &slot_ ? call.slots : call.lanes;
        const std::uint64_t bytes = output->used / info_.array_count;
        for (std::uint32_t array = 0; array < info_.array_count; ++array) {
            std::memcpy(to[array], output->array.bytes.data() + array * bytes, bytes);
        }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        TENON_TRY(fetch(columns_[i]));
        std::memcpy(call.columns[i], columns_[i].array.bytes.data(), columns_[i].used);
    }
    return {};
}

// Copies back what a batch has written; behind its last row nothing may have changed.
Status SamplerOnDevice::fetch(Output& output) {
    Status got = device_->get(output.array);
    if (got && !std::all_of(output.array.bytes.begin() + static_cast<std::ptrdiff_t>(output.used),
                            output.array.bytes.end(), [](std::byte one) { return one == kBehind; })) {
        device_->note_outside(std::string(kSample) + " launches a kernel that writes behind the last row of " +
                              output.array.what);
    }
    return got;
}

// After a call: checks the fault of its kernels, and that inputs are unchanged.
Status SamplerOnDevice::look(const char* function, std::span<const DeviceArray* const> inputs, tn_status& done) {
    tn_fault fault = TENON_TRY(device_->take_fault());
    fault_ = fault;
    for (const DeviceArray* input : inputs) {
        TENON_TRY(device_->expect_unchanged(function, *input));
    }
    if (done == TN_OK && fault_.status != TN_OK) {
        done = static_cast<tn_status>(fault_.status);
        say(std::string(function) + " launches a kernel that reports a fault (" + std::string(name_of_status(done)) +
            ", row or lane " + std::to_string(fault_.where) + "), though all that it is given is valid");
    }
    return {};
}

tn_status SamplerOnDevice::prioritise(const tn_priority_call& call) {
    tn_status done = TN_OK;
    const Status status = enqueue_prioritise(call, done);
    return status_of(status, done);
}

// For the rows of the last sample, which the device still has.
Status SamplerOnDevice::enqueue_prioritise(const tn_priority_call& call, tn_status& done) {
    copy_to(priorities_, call.priorities, call.rows * sizeof(double));
    for (const DeviceArray* array : {&priorities_, &slot_.array, &lane_.array}) {
        TENON_TRY(device_->put(*array));
    }
    done = device_->enqueue(kPrioritise, [&](const tn_stream* stream) {
        const Tailed<tn_device_priority_call> enqueued({.struct_size = 0,
                                                        .rows = call.rows,
                                                        .stream = stream,
                                                        .slot = static_cast<const std::uint32_t*>(slot_.array.memory),
                                                        .lane = static_cast<const std::uint32_t*>(lane_.array.memory),
                                                        .priorities = static_cast<const double*>(priorities_.memory),
                                                        .burn_in = call.burn_in,
                                                        .reserved = 0},
                                                       is_newer_);
        return call_plugin(sampler_.name, kPrioritise, sampler_.place, on_device_->enqueue_prioritise, sampler_.self,
                           &enqueued.value);
    });
    const std::array<const DeviceArray*, 3> inputs = {&priorities_, &slot_.array, &lane_.array};
    return look(kPrioritise, inputs, done);
}

}  // namespace tenon
