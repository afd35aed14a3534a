// SPDX-License-Identifier: Apache-2.0
// An env on its columns, driven as the host drives it.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_columns.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/abi/env.h"

namespace tenon::test {

class EnvRig {
public:
    template <class Adapter, class T>
    EnvRig(Component<Adapter, T> component, std::uint32_t lanes, std::uint32_t slots,
           const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {}, tn_key key = {1, 2},
           std::int64_t gap = 1)
        : instance(host, component, lanes, change, key),
          columns(slots, lanes, gap),
          lane_status(lanes),
          needs_reset(lanes) {
        start(slots, lanes);
    }

    [[nodiscard]] tn_env_info describe() const {
        tn_env_info info{};
        info.struct_size = sizeof(info);
        REQUIRE(api->describe(instance.self(), &info) == TN_OK);
        return info;
    }

    void reset(const std::vector<std::uint64_t>& seeds, std::uint32_t slot = 0) {
        REQUIRE(seeds.size() == columns.lanes());
        REQUIRE(reset_masked(slot, nullptr, seeds.data()) == TN_OK);
    }
    tn_status reset_masked(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        return api->reset(instance.self(), slot, mask, seeds);
    }

    tn_status step(std::uint32_t slot, std::uint32_t next_slot) { return step(slot, next_slot, 0, columns.lanes()); }
    tn_status step(std::uint32_t slot, std::uint32_t next_slot, std::uint32_t first, std::uint32_t count) {
        const tn_env_step call = {.struct_size = sizeof(tn_env_step),
                                  .slot = slot,
                                  .next_slot = next_slot,
                                  .first = first,
                                  .count = count,
                                  .flags = 0};
        return api->step(instance.self(), &call);
    }

    PluginHost host;
    PluginInstance instance;
    PluginColumns columns;
    std::vector<std::uint8_t> lane_status;
    std::vector<std::uint8_t> needs_reset;
    const tn_env_api* api = nullptr;

private:
    void start(std::uint32_t slots, std::uint32_t lanes) {
        INFO(host.error);
        REQUIRE(instance.status() == TN_OK);
        api = instance.api<tn_env_api>("tenon.env/1");
        const tn_env_info info = describe();
        columns.add(info.specs, info.spec_count);
        const tn_env_buffers buffers = {.struct_size = sizeof(tn_env_buffers),
                                        .flags = 0,
                                        .slots = slots,
                                        .lanes = lanes,
                                        .columns = columns.data(),
                                        .column_count = columns.size(),
                                        .lane_status = lane_status.data(),
                                        .needs_reset = needs_reset.data()};
        REQUIRE(api->bind(instance.self(), &buffers) == TN_OK);
    }
};

}  // namespace tenon::test
