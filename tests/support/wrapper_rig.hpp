// SPDX-License-Identifier: Apache-2.0
// A wrapper around an env on its columns, driven as the host drives it.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_columns.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/abi/env.h"
#include "tenon/abi/wrapper.h"

namespace tenon::test {

class WrapperRig {
public:
    template <class WrapperAdapter, class T, class EnvAdapter, class Env>
    WrapperRig(Component<WrapperAdapter, T> component, Component<EnvAdapter, Env> env, std::uint32_t lanes,
               std::uint32_t slots, const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {})
        : inner(host, env, lanes), wrapper(host, component, lanes, change, {1, 3}), columns(slots, lanes) {
        start(lanes, [](void*, const char* id) -> const void* {
            return Component<EnvAdapter, Env>{}.table().get_interface(id);
        });
    }

    tn_status describe() {
        info.struct_size = sizeof info;
        return api->describe(wrapper.self(), &info);
    }

    void bind() {
        REQUIRE(describe() == TN_OK);
        columns.add(info.specs, info.spec_count);
        const tn_env_buffers buffers = {.struct_size = sizeof(tn_env_buffers),
                                        .flags = 0,
                                        .slots = columns.slots(),
                                        .lanes = columns.lanes(),
                                        .columns = columns.data(),
                                        .column_count = columns.size(),
                                        .lane_status = lane_status.data(),
                                        .needs_reset = needs_reset.data()};
        REQUIRE(api->bind(wrapper.self(), &buffers) == TN_OK);
    }

    void reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        REQUIRE(api->reset(wrapper.self(), slot, mask, seeds) == TN_OK);
    }

    // Steps all lanes and, as the host does, resets those that ask for it.
    tn_status step(std::uint32_t slot) {
        const std::uint32_t next = (slot + 1) % columns.slots();
        const tn_env_step call = {.struct_size = sizeof(tn_env_step),
                                  .slot = slot,
                                  .next_slot = next,
                                  .first = 0,
                                  .count = columns.lanes(),
                                  .flags = 0};
        const tn_status status = api->step(wrapper.self(), &call);
        const std::vector<std::uint8_t> mask = needs_reset;
        needs_reset.assign(needs_reset.size(), 0);
        if (std::ranges::count(mask, std::uint8_t{1}) > 0) {
            reset(next, mask.data(), nullptr);
        }
        return status;
    }

    PluginHost host;
    PluginInstance inner;
    PluginInstance wrapper;
    PluginColumns columns;
    std::vector<std::uint8_t> lane_status;
    std::vector<std::uint8_t> needs_reset;
    tn_env_info info{};
    const tn_env_api* api = nullptr;

private:
    void start(std::uint32_t lanes, const void* (*get_interface)(void*, const char*)) {
        INFO(host.error);
        REQUIRE(inner.status() == TN_OK);
        REQUIRE(wrapper.status() == TN_OK);
        offer_ = {.struct_size = sizeof offer_,
                  .flags = 0,
                  .self = inner.self(),
                  .env = inner.api<tn_env_api>("tenon.env/1"),
                  .get_interface = get_interface};
        REQUIRE(wrapper.api<tn_wrapper_api>("tenon.wrapper/1")->attach(wrapper.self(), &offer_) == TN_OK);
        api = wrapper.api<tn_env_api>("tenon.env/1");
        lane_status.assign(lanes, 0);
        needs_reset.assign(lanes, 0);
    }

    tn_wrapper_inner offer_{};
};

}  // namespace tenon::test
