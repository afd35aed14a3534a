// SPDX-License-Identifier: Apache-2.0
// A sampler over a made-up buffer, driven as the host drives it.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/abi/sampler.h"

namespace tenon::test {

class SamplerRig {
public:
    template <class Adapter, class T>
    explicit SamplerRig(Component<Adapter, T> component) : instance(host, component) {
        REQUIRE(instance.status() == TN_OK);
        api = instance.api<tn_sampler_api>("tenon.sampler/1");
    }

    [[nodiscard]] tn_sampler_info plan() const {
        tn_sampler_info info{};
        info.struct_size = sizeof(info);
        REQUIRE(api->plan(instance.self(), &info) == TN_OK);
        return info;
    }

    // A ring of 10 slots a lane; fills slots and lanes for one index array.
    tn_status sample(const std::vector<std::uint32_t>& first, const std::vector<std::uint32_t>& count,
                     std::uint32_t rows, std::uint64_t counter = 0, std::vector<float>* column = nullptr) {
        const tn_buffer_view view = {.struct_size = sizeof(tn_buffer_view),
                                     .slots = 10,
                                     .lanes = static_cast<std::uint32_t>(first.size()),
                                     .reserved = 0,
                                     .first = first.data(),
                                     .count = count.data(),
                                     .total = std::accumulate(count.begin(), count.end(), std::uint64_t{0})};
        slots.assign(rows, 0xFFFFFFFF);
        lanes.assign(rows, 0xFFFFFFFF);
        std::uint32_t* const slot_array = slots.data();
        std::uint32_t* const lane_array = lanes.data();
        void* const columns = column != nullptr ? column->data() : nullptr;
        const tn_sample_call call = {.struct_size = sizeof(tn_sample_call),
                                     .rows = rows,
                                     .view = &view,
                                     .key = {3, 4},
                                     .counter = counter,
                                     .slots = &slot_array,
                                     .lanes = &lane_array,
                                     .columns = &columns};
        return api->sample(instance.self(), &call);
    }

    PluginHost host;
    PluginInstance instance;
    const tn_sampler_api* api = nullptr;
    std::vector<std::uint32_t> slots;
    std::vector<std::uint32_t> lanes;
};

}  // namespace tenon::test
