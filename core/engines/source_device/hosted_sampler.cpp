// SPDX-License-Identifier: Apache-2.0
#include "engines/source_device/hosted_sampler.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "experience/replay/sampler_plan.hpp"
#include "plugins/plugin/host_tables.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

// Where each part begins in a block that has parts of these sizes.
struct Given {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t options;
    explicit Given(std::uint32_t lanes)
        : first(aligned_on_device(sizeof(tn_sample_numbers))),
          count(first + aligned_on_device(std::uint64_t{lanes} * sizeof(std::uint32_t))),
          options(count + aligned_on_device(std::uint64_t{lanes} * sizeof(std::uint32_t))) {}
};

constexpr std::uint64_t kMostOptions = 256;

}  // namespace

std::string sampling_fault(std::string_view what, const tn_fault& found) {
    if (found.status == TN_INVALID_ARGUMENT) {
        return std::string(what) +
               " was given a priority that is not a finite number of at least 0; the objective computes it";
    }
    return found.status == TN_FAILED_PRECONDITION
               ? "the buffer holds no rows that can be chosen yet; collect more before the first update "
                 "(train.start_frames), or use shorter sequences"
               : std::string(what) + " found something wrong on the device at row or lane " +
                     std::to_string(found.where) + " (status " + std::to_string(found.status) + ")";
}

Result<std::unique_ptr<DeviceSampler>> HostedSampler::make(const Callee<tn_sampler_api>& sampler,
                                                           const tn_device_sampler_api* on_device,
                                                           std::shared_ptr<Device> device) {
    std::unique_ptr<HostedSampler> out(new HostedSampler(sampler, on_device, std::move(device)));
    out->info_.struct_size = sizeof out->info_;
    TENON_TRY(sampler.call("plan", sampler.api->plan, &out->info_));
    out->sizes_ = column_sizes(out->info_);  // Sampler checks the plan
    return std::unique_ptr<DeviceSampler>(std::move(out));
}

HostedSampler::HostedSampler(const Callee<tn_sampler_api>& sampler, const tn_device_sampler_api* on_device,
                             std::shared_ptr<Device> device)
    : sampler_(sampler), on_device_(on_device), device_(std::move(device)) {
    table_.struct_size = sizeof table_;
    table_.plan = [](void* self, tn_sampler_info* info) {
        const auto& its = static_cast<HostedSampler*>(self)->sampler_;
        return its.api->plan(its.self, info);
    };
    table_.sample = [](void* self, const tn_sample_call* call) {
        return static_cast<HostedSampler*>(self)->sample(*call);
    };
    if (inside(*on_device_, &tn_device_sampler_api::enqueue_prioritise) && on_device_->enqueue_prioritise != nullptr) {
        table_.prioritise = [](void* self, const tn_priority_call* call) {
            return static_cast<HostedSampler*>(self)->prioritise(*call);
        };
    }
}

tn_status HostedSampler::save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) const {
    return pass_on(*device_, sampler_.state->save(sampler_.self, first, count, &writer));
}

tn_status HostedSampler::load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
    return pass_on(*device_, sampler_.state->load(sampler_.self, first, count, &reader));
}

HostedSampler::~HostedSampler() {
    for (DeviceBlock* block : {&given_, &terminated_, &truncated_, &chosen_, &priorities_}) {
        drop_block(*device_, *block);
    }
}

void HostedSampler::stay(const std::uint8_t* terminated, const std::uint8_t* truncated, tn_fault* fault) {
    stays_ = {.terminated = terminated, .truncated = truncated, .fault = fault};
}

Callee<tn_sampler_api> HostedSampler::callee() {
    Callee<tn_sampler_api> out = sampler_;
    out.api = &table_;
    out.self = this;
    out.state = sampler_.state != nullptr ? HostTables::state<HostedSampler>() : nullptr;
    return out;
}

tn_status HostedSampler::open(const tn_buffer_view& view, std::uint32_t rows) {
    const std::uint64_t ring = std::uint64_t{view.slots} * view.lanes;
    const Given given(view.lanes);
    std::uint64_t chosen = kDeviceAligned + std::uint64_t{2} * info_.array_count *
                                                aligned_on_device(std::uint64_t{rows} * sizeof(std::uint32_t));
    for (const std::uint32_t size : sizes_) {
        chosen += aligned_on_device(std::uint64_t{rows} * size);
    }
    const std::pair<DeviceBlock*, std::uint64_t> blocks[] = {
        {&given_, given.options + kMostOptions * sizeof(double)},
        {&terminated_, ring},
        {&truncated_, ring},
        {&chosen_, chosen},
        {&priorities_, table_.prioritise != nullptr ? rows * sizeof(double) : 1},
    };
    for (const auto& [block, bytes] : blocks) {
        if (const tn_status made =
                make_block(*device_, *block, bytes, block == &given_ || block == &priorities_ ? stages_for(bytes) : 1);
            made != TN_OK) {
            return made;
        }
    }
    const tn_device_room room{
        .struct_size = sizeof room, .slots = view.slots, .lanes = view.lanes, .rows = rows, .device = &device_->table};
    if (const tn_status opened = on_device_->open(sampler_.self, &room); opened != TN_OK) {
        return pass_on(*device_, opened);
    }
    slots_ = view.slots;
    lanes_ = view.lanes;
    rows_ = rows;
    seen_ = 0;
    columns_.resize(sizes_.size());
    return TN_OK;
}

// Copies `rows` slots of flags, up to the slot of `newest`.
tn_status HostedSampler::copy_rows(DeviceBlock& block, const std::uint8_t* from, std::uint32_t newest,
                                   std::uint64_t rows) {
    const tn_device& table = device_->table;
    const auto copy = [&](std::uint64_t first, std::uint64_t count) -> tn_status {
        const std::uint64_t at = first * lanes_;
        const std::uint64_t bytes = count * lanes_;
        std::memcpy(block.staged + at, from + at, bytes);
        return table.write(table.ctx, static_cast<std::byte*>(block.memory) + at, block.staged + at, bytes);
    };
    const std::uint64_t end = std::uint64_t{newest} + 1;
    const std::uint64_t before = std::min(end, rows);
    const tn_status copied = copy(end - before, before);
    return copied == TN_OK && rows > before ? copy(slots_ - (rows - before), rows - before) : copied;
}

// Copies how the new episodes ended. The newest slot of the last time is copied again, because an episode that a reset
// cuts short is marked as truncated afterwards.
tn_status HostedSampler::copy_ends(const tn_buffer_view& view) {
    const auto lane = static_cast<std::size_t>(
        std::find_if(view.count, view.count + lanes_, [](std::uint32_t count) { return count > 0; }) - view.count);
    const std::uint32_t newest = (view.first[lane] + view.count[lane] - 1) % slots_;
    const bool anew = view.appended < seen_ || seen_ == 0;
    const std::uint64_t rows = anew ? slots_ : std::min<std::uint64_t>(view.appended - seen_ + 1, slots_);
    seen_ = view.appended;
    const tn_status copied = copy_rows(terminated_, view.terminated, newest, rows);
    return copied == TN_OK ? copy_rows(truncated_, view.truncated, newest, rows) : copied;
}

tn_status HostedSampler::sample(const tn_sample_call& call) {
    const tn_buffer_view& view = *call.view;
    if (view.total == 0) {
        say("the buffer holds no complete transition yet");
        return TN_FAILED_PRECONDITION;
    }
    const std::uint32_t elements = call.rows * std::max(info_.time, 1U);
    if (view.slots != slots_ || view.lanes != lanes_ || elements > rows_) {
        if (const tn_status opened = open(view, elements); opened != TN_OK) {
            return opened;
        }
    }
    const Given given(lanes_);
    const tn_sample_numbers numbers{
        .counter = call.counter, .total = view.total, .appended = view.appended, .key = call.key};
    const std::uint64_t options = std::min<std::uint64_t>(call.option_count, kMostOptions);
    std::byte* staged = nullptr;
    if (const tn_status free = next_stage(*device_, given_, staged); free != TN_OK) {
        return free;
    }
    std::memcpy(staged, &numbers, sizeof numbers);
    std::memcpy(staged + given.first, view.first, lanes_ * sizeof(std::uint32_t));
    std::memcpy(staged + given.count, view.count, lanes_ * sizeof(std::uint32_t));
    if (options > 0) {
        std::memcpy(staged + given.options, call.options, options * sizeof(double));
    }
    const tn_device& table = device_->table;
    tn_status status = table.write(table.ctx, given_.memory, staged, given.options + options * sizeof(double));
    status = status == TN_OK && stays_.fault == nullptr ? copy_ends(view) : status;
    if (status != TN_OK) {
        return pass_on(*device_, status);
    }

    auto* const out = static_cast<std::byte*>(chosen_.memory);
    const std::uint64_t indices = std::uint64_t{info_.array_count} * elements * sizeof(std::uint32_t);
    const std::uint64_t lane_at = kDeviceAligned + aligned_on_device(indices);
    std::uint64_t end = lane_at + aligned_on_device(indices);
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
        columns_[i] = out + end;
        end += aligned_on_device(std::uint64_t{elements} * sizes_[i]);
    }
    const bool stays = stays_.fault != nullptr;
    tn_stream stream = device_->stream;
    stream.fault = device_fault();
    const auto* const in = static_cast<std::byte*>(given_.memory);
    const tn_device_sample_call enqueued{
        .struct_size = sizeof enqueued,
        .rows = call.rows,
        .stream = &stream,
        .numbers = reinterpret_cast<const tn_sample_numbers*>(in),
        .first = reinterpret_cast<const std::uint32_t*>(in + given.first),
        .count = reinterpret_cast<const std::uint32_t*>(in + given.count),
        .terminated = stays ? stays_.terminated : static_cast<const std::uint8_t*>(terminated_.memory),
        .truncated = stays ? stays_.truncated : static_cast<const std::uint8_t*>(truncated_.memory),
        .slot = reinterpret_cast<std::uint32_t*>(out + kDeviceAligned),
        .lane = reinterpret_cast<std::uint32_t*>(out + lane_at),
        .columns = columns_.data(),
        .options = options > 0 ? reinterpret_cast<const double*>(in + given.options) : nullptr,
        .option_count = options};
    if (const tn_status done = on_device_->enqueue_sample(sampler_.self, &enqueued); done != TN_OK) {
        return pass_on(*device_, done);
    }
    sampled_ = {.slots = enqueued.slot,
                .lanes = enqueued.lane,
                .columns = columns_.data(),
                .stride = elements,
                .priorities = table_.prioritise != nullptr ? static_cast<double*>(priorities_.memory) : nullptr};
    if (stays) {
        return TN_OK;
    }
    if (const tn_status read = table.read(table.ctx, chosen_.staged, chosen_.memory, end); read != TN_OK) {
        return pass_on(*device_, read);
    }
    given_.used = 0;  // that was a wait
    priorities_.used = 0;
    if (const tn_status wrong = fault("a kernel"); wrong != TN_OK) {
        return wrong;
    }
    for (std::uint32_t array = 0; array < info_.array_count; ++array) {
        const std::uint64_t at = std::uint64_t{array} * elements * sizeof(std::uint32_t);
        std::memcpy(call.slots[array], chosen_.staged + kDeviceAligned + at, elements * sizeof(std::uint32_t));
        std::memcpy(call.lanes[array], chosen_.staged + lane_at + at, elements * sizeof(std::uint32_t));
    }
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
        std::memcpy(call.columns[i], chosen_.staged + (static_cast<std::byte*>(columns_[i]) - out),
                    std::uint64_t{elements} * sizes_[i]);
    }
    return TN_OK;
}

tn_fault* HostedSampler::device_fault() const {
    return stays_.fault != nullptr ? stays_.fault : static_cast<tn_fault*>(chosen_.memory);
}

// The fault of the batch, or of the priorities that were passed before it.
tn_status HostedSampler::fault(const char* what) {
    tn_fault found{};
    std::memcpy(&found, chosen_.staged, sizeof found);
    if (found.status == TN_OK) {
        return TN_OK;
    }
    say(sampling_fault(what, found));
    return static_cast<tn_status>(found.status);
}

tn_status HostedSampler::send_priorities(const tn_priority_call& call) {
    const tn_device& table = device_->table;
    std::byte* staged = nullptr;
    if (const tn_status free = next_stage(*device_, priorities_, staged); free != TN_OK) {
        return free;
    }
    std::memcpy(staged, call.priorities, call.rows * sizeof(double));
    return pass_on(*device_, table.write(table.ctx, priorities_.memory, staged, call.rows * sizeof(double)));
}

// If the call has no priorities, they are on the device already.
tn_status HostedSampler::prioritise(const tn_priority_call& call) {
    if (const tn_status sent = call.priorities != nullptr ? send_priorities(call) : TN_OK; sent != TN_OK) {
        return sent;
    }
    // The rows of the last sample are still on the device.
    const std::uint64_t indices = std::uint64_t{info_.array_count} * call.rows * sizeof(std::uint32_t);
    const auto* const out = static_cast<std::byte*>(chosen_.memory);
    tn_stream stream = device_->stream;
    stream.fault = device_fault();
    const tn_device_priority_call enqueued{
        .struct_size = sizeof enqueued,
        .rows = call.rows,
        .stream = &stream,
        .slot = reinterpret_cast<const std::uint32_t*>(out + kDeviceAligned),
        .lane = reinterpret_cast<const std::uint32_t*>(out + kDeviceAligned + aligned_on_device(indices)),
        .priorities = static_cast<const double*>(priorities_.memory),
        .burn_in = call.burn_in,
        .reserved = 0};
    const tn_status done = on_device_->enqueue_prioritise(sampler_.self, &enqueued);
    return pass_on(*device_, done);
}

}  // namespace tenon
