// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/frames/gather.hpp"

#include <algorithm>
#include <utility>

#include "base/device/own_kernels.hpp"
#include "experience/replay/gather.hpp"

namespace tenon::frames {
namespace {

Taken taken_of(const GatherSource& source) {
    return source.is_own                             ? Taken::kOwn
           : source.column.reading == Reading::kNext ? Taken::kNext
           : source.column.reading == Reading::kDone ? Taken::kDone
                                                     : Taken::kAtSlot;
}

}  // namespace

Result<std::unique_ptr<DeviceGather>> Gather::make(const Ring& ring, const SamplerPlan& sampler,
                                                   std::span<const std::string> keys, std::string_view reader,
                                                   std::uint32_t rows) {
    const std::vector<GatherSource> sources = TENON_TRY(gather_sources(ring.storage(), sampler, keys, reader));
    std::unique_ptr<Gather> out(new Gather(ring, rows, sampler.array_count));
    TENON_TRY(out->build(sources));
    return std::unique_ptr<DeviceGather>(std::move(out));
}

Gather::~Gather() {
    Device& device = *ring_.device();
    device.table.free(device.table.ctx, memory_);
    device.table.free(device.table.ctx, table_);
    drop_block(device, chosen_);
}

Status Gather::build(std::span<const GatherSource> sources) {
    Device& device = *ring_.device();
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> offsets;
    for (const GatherSource& source : sources) {
        offsets.push_back(std::exchange(bytes, bytes + aligned_on_device(row_bytes(source.port) * rows_)));
    }
    const auto allocate = [&](std::byte*& out, std::uint64_t size) {
        void* memory = nullptr;
        Status made = told(device, device.table.alloc(device.table.ctx, size, &memory));
        out = static_cast<std::byte*>(memory);
        return made;
    };
    TENON_TRY(allocate(memory_, bytes));
    TENON_TRY(allocate(table_, sources.size() * sizeof(TakenColumn)));
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const GatherSource& source = sources[i];
        const std::string key = source.column.column == nullptr ? std::string() : source.column.column->key;
        if (source.column.column != nullptr && ring_.rows(key) == nullptr) {
            return plugin_problem("the column '" + source.port.key + "' is not on " + device.name);
        }
        ports_.push_back(source.port);
        columns_.push_back(memory_ + offsets[i]);
        taken_.push_back({.rows = ring_.rows(key),
                          .finals = ring_.finals(key),
                          .out = memory_ + offsets[i],
                          .row_bytes = static_cast<std::int64_t>(source.is_own ? row_bytes(source.port)
                                                                               : row_bytes(source.column.port)),
                          .array = source.is_own ? 0 : source.array,
                          .count = source.count,
                          .taken = taken_of(source)});
        if (source.is_own) {
            own_.push_back(source.array);
        }
    }
    return told(device,
                device.table.write(device.table.ctx, table_, taken_.data(), taken_.size() * sizeof(TakenColumn)));
}

Status Gather::launch(std::uint32_t rows, const std::uint32_t* slot, const std::uint32_t* lane, std::uint64_t stride) {
    TakeWork work{.columns = reinterpret_cast<const TakenColumn*>(table_),
                  .count = static_cast<std::uint32_t>(taken_.size()),
                  .rows = rows,
                  .slots = ring_.storage().slots(),
                  .lanes = ring_.storage().lanes(),
                  .slot = slot,
                  .lane = lane,
                  .stride = stride,
                  .terminated = reinterpret_cast<const std::uint8_t*>(ring_.rows("terminated")),
                  .truncated = reinterpret_cast<const std::uint8_t*>(ring_.rows("truncated")),
                  .fault = ring_.fault(Ring::Source::kTaking)};
    return launch_rows(*ring_.device(), ring_.kernels(), Kernel::kTake, std::uint64_t{work.count} * rows, &work);
}

Status Gather::gather_all(std::uint32_t rows) {
    return launch(rows, nullptr, nullptr, 0);
}

Status Gather::gather(const SampledRows& sampled, std::uint32_t rows) {
    if (sampled.on_device != nullptr) {
        TENON_TRY(point_at_own(sampled));
        return launch(rows, sampled.on_device->slots, sampled.on_device->lanes, sampled.on_device->stride);
    }
    Device& device = *ring_.device();
    const std::uint64_t indices = std::uint64_t{2} * arrays_ * rows_ * sizeof(std::uint32_t);
    if (chosen_.memory == nullptr) {
        TENON_TRY(said(make_block(device, chosen_, indices, stages_for(indices))));
    }
    std::byte* staged = nullptr;
    TENON_TRY(said(next_stage(device, chosen_, staged)));
    auto* const to = reinterpret_cast<std::uint32_t*>(staged);
    const std::uint64_t all = std::uint64_t{arrays_} * rows;
    for (std::uint32_t array = 0; array < arrays_; ++array) {
        std::copy_n(sampled.slots[array], rows, to + std::uint64_t{array} * rows);
        std::copy_n(sampled.lanes[array], rows, to + all + std::uint64_t{array} * rows);
    }
    Status sent =
        told(device, device.table.write(device.table.ctx, chosen_.memory, staged, 2 * all * sizeof(std::uint32_t)));
    const auto* const on_device = static_cast<const std::uint32_t*>(chosen_.memory);
    return sent ? launch(rows, on_device, on_device + all, rows) : sent;
}

// The sampler's own columns, whose addresses are known once it has chosen rows.
Status Gather::point_at_own(const SampledRows& sampled) {
    bool moved = false;
    std::size_t next = 0;
    for (TakenColumn& column : taken_) {
        if (column.taken == Taken::kOwn) {
            const auto* const rows = static_cast<const std::byte*>(sampled.on_device->columns[own_[next++]]);
            moved = moved || column.rows != rows;
            column.rows = rows;
        }
    }
    Device& device = *ring_.device();
    return moved ? told(device, device.table.write(device.table.ctx, table_, taken_.data(),
                                                   taken_.size() * sizeof(TakenColumn)))
                 : Status();
}

}  // namespace tenon::frames
