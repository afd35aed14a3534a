// SPDX-License-Identifier: Apache-2.0
#include "commands/check/sampler_drive.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/data/number_text.hpp"
#include "commands/check/fresh_memory.hpp"
#include "commands/check/tailed.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

constexpr int kSmall = 0x3F;  // bytes that form inconspicuous numbers

// Has only what the sampler can see: no readers, gathers or other columns of experience.
Result<Storage> make_storage(const std::vector<ColumnRead>& reads) {
    std::vector<StorageColumn> columns;
    for (const ColumnRead& read : reads) {
        StorageColumn& column = columns.emplace_back();
        column.key = read.key;
        column.role = Role::kState;
        column.row = read.elements > 1 ? Shape{read.elements} : Shape{};
    }
    if (columns.empty()) {
        columns.emplace_back().key = "observation";
        columns.back().role = Role::kObservation;
    }
    return Storage::make(std::move(columns), SamplerDrive::kSlots, SamplerDrive::kLanes);
}

// The device that chooses the rows; empty: the CPU.
std::string_view device_for(const Workbench& bench, const SamplerShape& shape) {
    const std::vector<std::string>& devices = bench.subject().component->devices;
    const bool samples_here = std::ranges::find(devices, "cpu") != devices.end();
    return shape.device.empty() && !samples_here ? std::string_view("emulated") : shape.device;
}

std::uint8_t& flag(const Storage& storage, const char* key, std::uint32_t lane) {
    return *static_cast<std::uint8_t*>(row_at(storage.find(key)->view, storage.head(), lane));
}

}  // namespace

SamplerDrive::SamplerDrive(const Workbench& bench, const SamplerShape& shape, Instance instance, Storage storage)
    : shape_(shape),
      key_(bench.key("sampler")),
      episodes_(bench.key("episodes")),
      instance_(std::move(instance)),
      sampler_(Callee<tn_sampler_api>::of(instance_, "tenon.sampler/1")),
      storage_(std::move(storage)),
      options_(as_numbers(bench.subject().options)) {}

Result<std::unique_ptr<SamplerDrive>> SamplerDrive::make(const Workbench& bench, const SamplerShape& shape) {
    fill_fresh_memory(shape.fresh);
    Instance instance = TENON_TRY(bench.make(0));
    SamplerReads reads = TENON_TRY(SamplerReads::make(instance));
    Storage storage = TENON_TRY(make_storage(reads.columns()));
    std::unique_ptr<SamplerDrive> out(new SamplerDrive(bench, shape, std::move(instance), std::move(storage)));
    out->reads_ = std::move(reads);
    const std::string_view device = device_for(bench, shape);
    const auto* api = out->instance_.interface<tn_device_sampler_api>("tenon.device_sampler/1");
    if (!device.empty() && api != nullptr) {
        out->on_device_ = TENON_TRY(SamplerOnDevice::make(out->sampler_, api, device, kMostRows, shape.is_newer));
        out->sampler_ = out->on_device_->callee();
    }
    Tailed<tn_sampler_info> info({}, shape.is_newer);
    TENON_TRY(out->sampler_.call("plan", out->sampler_.api->plan, &info.value));
    if (!shape.is_newer && !info.is_whole()) {
        return out->sampler_.problem("plan writes past the struct_size that the host has set");
    }
    out->plan_ = TENON_TRY(read_plan(info.value, out->sampler_.name));
    TENON_TRY(out->make_arrays());
    const std::vector<std::uint8_t> all(kLanes, 1);
    out->storage_.begin_episodes(all.data());
    return out;
}

Status SamplerDrive::make_arrays() {
    const auto add = [](std::vector<GuardedMemory>& to, std::size_t bytes, const std::string& name) -> Status {
        to.push_back(TENON_TRY(GuardedMemory::make(bytes, name)));
        return {};
    };
    Status status;
    for (std::uint32_t i = 0; i / 2 < plan_.array_count && status; ++i) {
        status = add(arrays_, kMostRows * sizeof(std::uint32_t), i % 2 == 0 ? "slots" : "lanes");
    }
    for (const Port& column : plan_.columns) {
        status = status ? add(columns_, kMostRows * row_bytes(column), column.key) : std::move(status);
    }
    return status;
}

bool SamplerDrive::takes_priorities() const {
    return inside(*sampler_.api, &tn_sampler_api::prioritise) && sampler_.api->prioritise != nullptr;
}

std::uint64_t SamplerDrive::leave_device() {
    {
        const Instance gone = std::move(instance_);
    }
    return on_device_->device().held();
}

void SamplerDrive::append(std::uint32_t steps) {
    for (std::uint32_t i = 0; i < steps; ++i) {
        const tn_random_block block = tn_philox(episodes_, steps_++);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t drawn = tn_below(block.word[lane], 20);
            flag(storage_, "terminated", lane) = drawn == 0 ? 1 : 0;
            flag(storage_, "truncated", lane) = drawn == 1 ? 1 : 0;
            for (const ColumnRead& read : reads_.columns()) {
                auto* const row = static_cast<float*>(row_at(storage_.find(read.key)->view, storage_.head(), lane));
                std::fill_n(row, std::max(read.elements, 1U), static_cast<float>(block.word[lane] % 1'000));
            }
        }
        storage_.advance();
    }
}

// The arrays end at the guard page, whatever the number of rows.
std::uint32_t* SamplerDrive::slots_of(std::uint32_t array) const {
    return reinterpret_cast<std::uint32_t*>(arrays_[std::size_t{2} * array].data()) + (kMostRows - rows_);
}
std::uint32_t* SamplerDrive::lanes_of(std::uint32_t array) const {
    return reinterpret_cast<std::uint32_t*>(arrays_[std::size_t{2} * array + 1].data()) + (kMostRows - rows_);
}

Result<bool> SamplerDrive::sample(std::uint32_t rows, std::uint64_t counter) {
    const std::uint32_t time = std::max(plan_.time, 1U);
    const std::uint32_t count = std::max(1U, std::min(rows, kMostRows) / time);
    if (count * time > kMostRows) {
        return sampler_.problem("its sequences have " + std::to_string(time) +
                                " steps, more than a check has space for");
    }
    rows_ = count * time;
    std::vector<std::uint32_t*> slots;
    std::vector<std::uint32_t*> lanes;
    std::vector<void*> columns;
    for (const GuardedMemory& memory : arrays_) {
        std::memset(memory.data(), shape_.fill, kMostRows * sizeof(std::uint32_t));
    }
    for (std::uint32_t array = 0; array < plan_.array_count; ++array) {
        slots.push_back(slots_of(array));
        lanes.push_back(lanes_of(array));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t bytes = row_bytes(plan_.columns[i]);
        std::memset(columns_[i].data(), shape_.fill & kSmall, kMostRows * bytes);
        columns.push_back(columns_[i].data() + (kMostRows - rows_) * bytes);
    }
    const Tailed<tn_buffer_view> view(storage_.view(), shape_.is_newer);
    TENON_TRY(on_device_ != nullptr ? on_device_->open(view.value, options_.size()) : Status());
    const Tailed<tn_sample_call> call({.struct_size = 0,
                                       .rows = count,
                                       .view = &view.value,
                                       .key = key_,
                                       .counter = counter,
                                       .slots = slots.data(),
                                       .lanes = lanes.data(),
                                       .columns = columns.data(),
                                       .options = options_.data(),
                                       .option_count = options_.size()},
                                      shape_.is_newer);
    TENON_TRY(reads_.look(storage_));
    fill_fresh_memory(shape_.fresh);
    const tn_status status =
        call_plugin(sampler_.name, "sample", sampler_.place, sampler_.api->sample, sampler_.self, &call.value);
    if (status == TN_FAILED_PRECONDITION) {
        drop_error();
        return false;
    }
    TENON_TRY(check_call(status, sampler_.name, "sample"));
    return true;
}

Status SamplerDrive::prioritise(const std::vector<double>& priorities) {
    const Tailed<tn_priority_call> call({.struct_size = 0,
                                         .rows = static_cast<std::uint32_t>(priorities.size()),
                                         .slots = slots_of(0),
                                         .lanes = lanes_of(0),
                                         .priorities = priorities.data(),
                                         .burn_in = 0,
                                         .reserved = 0},
                                        shape_.is_newer);
    return sampler_.call("prioritise", sampler_.api->prioritise, &call.value);
}

std::uint32_t SamplerDrive::width(std::size_t column) const {
    return static_cast<std::uint32_t>(plan_.columns[column].row.elements());
}

double SamplerDrive::value(std::size_t column, std::uint32_t row, std::uint32_t element) const {
    const DType dtype = plan_.columns[column].dtype;
    return with_element(dtype, [&](auto zero) {
        const auto* const all = reinterpret_cast<const decltype(zero)*>(columns_[column].data());
        return static_cast<double>(all[std::size_t{kMostRows - rows_ + row} * width(column) + element]);
    });
}

std::string SamplerDrive::odd_batch() const {
    for (std::uint32_t array = 0; array < plan_.array_count; ++array) {
        for (std::uint32_t row = 0; row < rows_; ++row) {
            if (!storage_.ring().holds(slot(array, row), lane(array, row))) {
                return "row " + std::to_string(row) + " of index array " + std::to_string(array) + " is slot " +
                       std::to_string(slot(array, row)) + " of lane " + std::to_string(lane(array, row)) +
                       ", which is not a transition in the buffer";
            }
        }
    }
    for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
        for (std::uint32_t k = 0; k < rows_ * width(i); ++k) {
            const std::uint32_t row = k / width(i);
            const double found = value(i, row, k % width(i));
            const bool is_weight = plan_.columns[i].key == "weight";
            if (!std::isfinite(found) || (is_weight && found <= 0)) {
                return "'" + plan_.columns[i].key + "' of row " + std::to_string(row) + " is " + number_text(found);
            }
        }
    }
    return "";
}

std::string SamplerDrive::difference(const SamplerDrive& other) const {
    for (std::uint32_t array = 0; array < plan_.array_count; ++array) {
        for (std::uint32_t row = 0; row < rows_; ++row) {
            if (slot(array, row) != other.slot(array, row) || lane(array, row) != other.lane(array, row)) {
                return "row " + std::to_string(row) + " of index array " + std::to_string(array) + " is slot " +
                       std::to_string(slot(array, row)) + " of lane " + std::to_string(lane(array, row)) +
                       " and slot " + std::to_string(other.slot(array, row)) + " of lane " +
                       std::to_string(other.lane(array, row));
            }
        }
    }
    for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
        for (std::uint32_t k = 0; k < rows_ * width(i); ++k) {
            const std::uint32_t row = k / width(i);
            const double a = value(i, row, k % width(i));
            const double b = other.value(i, row, k % width(i));
            if (std::memcmp(&a, &b, sizeof a) != 0) {
                return "'" + plan_.columns[i].key + "' of row " + std::to_string(row) + " is " + number_text(a) +
                       " and " + number_text(b);
            }
        }
    }
    return "";
}

}  // namespace tenon
