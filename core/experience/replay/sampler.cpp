// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/sampler.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/data/number_text.hpp"
#include "base/error/listed.hpp"
#include "experience/replay/device_parts.hpp"
#include "experience/replay/saved_state.hpp"
#include "plugins/plugin/inside.hpp"

namespace tenon {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr std::uint32_t kNotSet = std::numeric_limits<std::uint32_t>::max();  // no slot: of rows before the first batch

}  // namespace

Result<Sampler> Sampler::make(Callee<tn_sampler_api> callee, std::uint32_t max_rows) {
    tn_sampler_info info{};
    info.struct_size = sizeof info;
    TENON_TRY(callee.call("plan", callee.api->plan, &info));
    Result<SamplerPlan> plan = read_plan(info, callee.name);
    if (!plan) {
        plan.error().place = callee.place;
        return std::move(plan.error());
    }
    Sampler out;
    out.callee_ = std::move(callee);
    out.plan_ = *std::move(plan);
    TENON_TRY(out.reserve(max_rows));
    return out;
}

Status Sampler::reserve(std::uint32_t max_rows) {
    if (max_rows <= max_rows_ && !slots_.empty()) {
        return {};
    }
    std::vector<Slab> memory;
    const auto allocate = [&](std::size_t bytes) -> Result<void*> {
        memory.push_back(TENON_TRY(Slab::make(bytes)));
        return memory.back().data();
    };
    std::vector<std::uint32_t*> pairs;
    for (std::uint32_t i = 0; i < 2 * plan_.array_count; ++i) {
        void* const made = TENON_TRY(allocate(std::size_t{max_rows} * sizeof(std::uint32_t)));
        pairs.push_back(static_cast<std::uint32_t*>(made));
        std::fill_n(pairs.back(), max_rows, kNotSet);
    }
    std::vector<void*> columns;
    for (const Port& column : plan_.columns) {
        void* const made = TENON_TRY(allocate(max_rows * row_bytes(column)));
        columns.push_back(made);
    }
    const auto half = pairs.begin() + plan_.array_count;
    slots_.assign(pairs.begin(), half);
    lanes_.assign(half, pairs.end());
    columns_ = std::move(columns);
    memory_ = std::move(memory);
    max_rows_ = max_rows;
    return {};
}

Result<Sampler> Sampler::make(Instance instance, std::uint32_t max_rows, std::shared_ptr<Device> device) {
    auto callee = Callee<tn_sampler_api>::of(instance, "tenon.sampler/1");
    std::unique_ptr<DeviceSampler> on_device;
    if (const auto* api = instance.interface<tn_device_sampler_api>("tenon.device_sampler/1"); api != nullptr) {
        if (device == nullptr) {
            return input_problem(callee.name + " chooses rows on a device, but run.device is \"cpu\"", callee.place,
                                 "set run.device = \"cuda\", or \"emulated\" where there is no GPU; only a new run "
                                 "may use a sampler for the CPU instead");
        }
        if (device->parts == nullptr) {
            return environment_problem("this program calls no samplers on a device, and " + callee.name + " is one",
                                       callee.place);
        }
        on_device = TENON_TRY(device->parts->make_sampler(callee, api, device));
        callee = on_device->callee();
    }
    SamplerReads reads = TENON_TRY(SamplerReads::make(instance));
    if (on_device != nullptr && !reads.columns().empty()) {
        return callee.problem("it chooses rows on a device, where it cannot read columns");
    }
    Sampler out = TENON_TRY(make(std::move(callee), max_rows));
    out.plan_.reads = reads.columns();
    out.reads_ = std::move(reads);
    out.device_ = std::move(device);
    out.instance_.emplace(std::move(instance));
    out.on_device_ = std::move(on_device);
    return out;
}

void Sampler::stay(const DeviceRing& ring) {
    if (on_device_ != nullptr) {
        on_device_->stay(reinterpret_cast<const std::uint8_t*>(ring.rows("terminated")),
                         reinterpret_cast<const std::uint8_t*>(ring.rows("truncated")),
                         ring.fault(DeviceRing::Source::kSampling));
    }
}

Status Sampler::sample(const Storage& storage, std::uint32_t rows, tn_key key, std::uint64_t counter,
                       std::span<const double> options) {
    if (rows > max_rows_) {
        return input_problem("a batch of " + std::to_string(rows) + " rows is more than the " +
                             std::to_string(max_rows_) + " that " + callee_.name + " was wired for");
    }
    TENON_TRY(reads_.look(storage));
    const tn_sample_call call{.struct_size = sizeof call,
                              .rows = rows / std::max(plan_.time, 1U),
                              .view = &storage.view(),
                              .key = key,
                              .counter = counter,
                              .slots = slots_.data(),
                              .lanes = lanes_.data(),
                              .columns = columns_.data(),
                              .options = options.data(),
                              .option_count = options.size()};
    TENON_TRY(callee_.call("sample", callee_.api->sample, &call));
    if (on_device_ != nullptr && on_device_->chosen() != nullptr) {
        return {};  // the kernel that takes the rows checks them
    }
    for (std::uint32_t array = 0; array < plan_.array_count; ++array) {
        for (std::uint32_t row = 0; row < rows; ++row) {
            const std::uint32_t slot = slots_[array][row];
            const std::uint32_t lane = lanes_[array][row];
            if (!storage.ring().holds(slot, lane)) {
                const std::string at = "row " + std::to_string(row) + " of index array " + std::to_string(array);
                return callee_.problem(slot == kNotSet
                                           ? at + " has not been set; sample must choose each row of the batch"
                                           : at + " is slot " + std::to_string(slot) + " of lane " +
                                                 std::to_string(lane) + ", which is not a transition in the buffer (" +
                                                 counted(storage.slots(), "slot") + ", " +
                                                 counted(storage.lanes(), "lane") + ")");
            }
        }
    }
    return {};
}

bool Sampler::takes_priorities() const {
    return inside(*callee_.api, &tn_sampler_api::prioritise) && callee_.api->prioritise != nullptr;
}

Status Sampler::prioritise(std::span<const double> priorities, const std::string& writer, const Place& place,
                           std::uint32_t burn_in) {
    const auto wrong =
        std::ranges::find_if_not(priorities, [](double priority) { return priority >= 0 && priority <= kLargest; });
    if (wrong != priorities.end()) {
        return plugin_problem(writer + " gives " + callee_.name + " the priority " + number_text(*wrong) + " for row " +
                                  std::to_string(wrong - priorities.begin()) +
                                  " of the batch; a priority must be a finite number of at least 0",
                              place);
    }
    const tn_priority_call call{.struct_size = sizeof call,
                                .rows = static_cast<std::uint32_t>(priorities.size()),
                                .slots = slots_.front(),
                                .lanes = lanes_.front(),
                                .priorities = priorities.data(),
                                .burn_in = burn_in,
                                .reserved = 0};
    return callee_.call("prioritise", callee_.api->prioritise, &call);
}

Status Sampler::prioritise_on_device(std::uint32_t rows, std::uint32_t burn_in) {
    const tn_priority_call call{.struct_size = sizeof call,
                                .rows = rows,
                                .slots = nullptr,
                                .lanes = nullptr,
                                .priorities = nullptr,
                                .burn_in = burn_in,
                                .reserved = 0};
    return callee_.call("prioritise", callee_.api->prioritise, &call);
}

bool Sampler::remembers() const {
    if (callee_.state == nullptr || on_device_ != nullptr) {
        return true;
    }
    StateBytes bytes;
    const tn_writer writer = bytes.writer();
    return !callee_.call("save", callee_.state->save, 0U, 0U, &writer) || !bytes.data.empty();
}

Status Sampler::save(const tn_writer& writer) const {
    StateSink sink(writer);
    TENON_TRY(save_state(callee_, kNoLanes, sink));
    return sink.status(callee_.name);
}

Status Sampler::load(const tn_reader& reader) {
    StateSource source(reader);
    return load_state(callee_, kNoLanes, source);
}

}  // namespace tenon
