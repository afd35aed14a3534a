// SPDX-License-Identifier: Apache-2.0
// A sampler over a made-up buffer, driven as the host drives it.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/abi/sampler.h"
#include "tenon/abi/sampler_reads.h"

namespace tenon::test {

class SamplerRig {
public:
    template <class Adapter, class T>
    explicit SamplerRig(Component<Adapter, T> component,
                        const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {})
        : instance(host, component, 0, change) {
        REQUIRE(instance.status() == TN_OK);
        api = instance.api<tn_sampler_api>("tenon.sampler/1");
        reads = instance.api<tn_sampler_reads_api>("tenon.sampler_reads/1");
    }

    [[nodiscard]] tn_sampler_info plan() const {
        tn_sampler_info info{};
        info.struct_size = sizeof(info);
        REQUIRE(api->plan(instance.self(), &info) == TN_OK);
        return info;
    }

    // Fills slots and lanes, array by array.
    tn_status sample(const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& count,
                     std::uint32_t rows, std::uint64_t counter = 0, std::vector<float>* column = nullptr) {
        const tn_buffer_view view = {.struct_size = sizeof(tn_buffer_view),
                                     .slots = ring,
                                     .lanes = static_cast<std::uint32_t>(first.size()),
                                     .reserved = 0,
                                     .first = first.data(),
                                     .count = count.data(),
                                     .total = std::accumulate(count.begin(), count.end(), std::uint64_t{0}),
                                     .appended = appended,
                                     .terminated = terminated.data(),
                                     .truncated = truncated.data()};
        slots.assign(std::size_t{rows} * arrays, 0xFFFFFFFF);
        lanes.assign(std::size_t{rows} * arrays, 0xFFFFFFFF);
        slot_arrays_.resize(arrays);
        lane_arrays_.resize(arrays);
        for (std::size_t array = 0; array < arrays; ++array) {
            slot_arrays_[array] = slots.data() + array * rows;
            lane_arrays_[array] = lanes.data() + array * rows;
        }
        void* const only = column != nullptr ? column->data() : nullptr;
        const tn_sample_call call = {.struct_size = sizeof(tn_sample_call),
                                     .rows = rows,
                                     .view = &view,
                                     .key = {3, 4},
                                     .counter = counter,
                                     .slots = slot_arrays_.data(),
                                     .lanes = lane_arrays_.data(),
                                     .columns = columns.empty() ? &only : columns.data(),
                                     .options = options.data(),
                                     .option_count = options.size()};
        return api->sample(instance.self(), &call);
    }

    // Before a sample: the only column that the sampler reads, [ring][lanes].
    tn_status look(const std::vector<double>& column) const {
        const std::array<std::int64_t, 2> shape = {ring, static_cast<std::int64_t>(column.size() / ring)};
        const std::array<std::int64_t, 2> strides = {shape[1], 1};
        const tn_column shown = {.struct_size = sizeof(tn_column),
                                 .flags = 0,
                                 .key = {.data = "column", .size = 6},
                                 .tensor = {.struct_size = sizeof(tn_tensor),
                                            .dtype = TN_F64,
                                            .data = const_cast<double*>(column.data()),
                                            .rank = 2,
                                            .device_type = TN_DEVICE_CPU,
                                            .device_id = 0,
                                            .reserved = 0,
                                            .shape = shape.data(),
                                            .strides = strides.data()}};
        const tn_column* const only = &shown;
        return reads->look(instance.self(), &only, 1);
    }

    // Of the rows of the last sample.
    tn_status prioritise(const std::vector<double>& priorities, std::uint32_t burn_in = 0) {
        const tn_priority_call call = {.struct_size = sizeof(tn_priority_call),
                                       .rows = static_cast<std::uint32_t>(priorities.size()),
                                       .slots = slots.data(),
                                       .lanes = lanes.data(),
                                       .priorities = priorities.data(),
                                       .burn_in = burn_in,
                                       .reserved = 0};
        return api->prioritise(instance.self(), &call);
    }

    std::uint32_t ring = 10;               // slots of a lane
    std::uint32_t arrays = 1;              // index arrays of the plan
    std::uint64_t appended = 0;            // steps of all lanes
    std::vector<void*> columns;            // those of the plan, where sample gets none
    std::vector<std::uint8_t> terminated;  // [ring][lanes]
    std::vector<std::uint8_t> truncated;
    std::vector<double> options;  // as schedules have them; none: as at the start

    PluginHost host;
    PluginInstance instance;
    const tn_sampler_api* api = nullptr;
    const tn_sampler_reads_api* reads = nullptr;  // null: it reads no columns
    std::vector<std::uint32_t> slots;
    std::vector<std::uint32_t> lanes;

private:
    std::vector<std::uint32_t*> slot_arrays_;
    std::vector<std::uint32_t*> lane_arrays_;
};

}  // namespace tenon::test
