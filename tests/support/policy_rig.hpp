// SPDX-License-Identifier: Apache-2.0
// A procedural policy on its columns, driven as the host drives it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_columns.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/abi/policy.h"
#include "tenon/spec.hpp"

namespace tenon::test {

class PolicyRig {
public:
    // Columns called "observation..." or "..._mask" are observations, all others actions.
    template <class Adapter, class T>
    PolicyRig(Component<Adapter, T> component, std::vector<Spec> specs, std::uint32_t lanes, std::uint32_t slots)
        : instance(host, component, lanes), columns(slots, lanes) {
        REQUIRE(instance.status() == TN_OK);
        for (Spec& spec : specs) {
            const bool observed = spec.key.starts_with("observation") || spec.key.ends_with("_mask");
            spec.role = observed ? TN_ROLE_OBSERVATION : TN_ROLE_ACTION;
        }
        const SpecTable table(std::move(specs));
        columns.add(table.data(), table.size());
        columns.add("is_init", TN_BOOL, {});
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                columns.at<bool>("is_init", slot, lane) = false;
            }
        }
        api_ = instance.api<tn_policy_api>("tenon.policy/1");
        const tn_status described = api_->describe(instance.self(), table.data(), table.size());
        INFO(host.error);
        REQUIRE(described == TN_OK);
        const tn_policy_buffers buffers = {.struct_size = sizeof(tn_policy_buffers),
                                           .flags = 0,
                                           .slots = slots,
                                           .lanes = lanes,
                                           .columns = columns.data(),
                                           .column_count = columns.size()};
        REQUIRE(api_->bind(instance.self(), &buffers) == TN_OK);
    }

    tn_status act(std::uint32_t slot, std::uint32_t first, std::uint32_t count, std::uint64_t counter = 0,
                  std::int32_t mode = TN_ACT_SAMPLE) {
        const tn_policy_call call = {.struct_size = sizeof(tn_policy_call),
                                     .mode = mode,
                                     .slot = slot,
                                     .first = first,
                                     .count = count,
                                     .flags = 0,
                                     .key = {5, 6},
                                     .counter = counter};
        return api_->act(instance.self(), &call);
    }

    PluginHost host;
    PluginInstance instance;
    PluginColumns columns;

private:
    const tn_policy_api* api_ = nullptr;
};

}  // namespace tenon::test
