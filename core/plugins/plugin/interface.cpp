// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/interface.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tenon/abi/arithmetic.h"
#include "tenon/abi/common.h"
#include "tenon/abi/dataset.h"
#include "tenon/abi/device_env.h"
#include "tenon/abi/device_sampler.h"
#include "tenon/abi/env.h"
#include "tenon/abi/env_async.h"
#include "tenon/abi/fused.h"
#include "tenon/abi/goal.h"
#include "tenon/abi/graph.h"
#include "tenon/abi/hook.h"
#include "tenon/abi/hook_writes.h"
#include "tenon/abi/live.h"
#include "tenon/abi/needs.h"
#include "tenon/abi/planner.h"
#include "tenon/abi/policy.h"
#include "tenon/abi/render.h"
#include "tenon/abi/sampler.h"
#include "tenon/abi/sampler_reads.h"
#include "tenon/abi/state.h"
#include "tenon/abi/transform.h"
#include "tenon/abi/wrapper.h"

namespace tenon {
namespace {

constexpr std::size_t kHeader = 8;  // struct_size and flags
constexpr std::size_t kNone = 0;

// A table is a header followed by pointers to functions. `size` is that of the ABI's first minor, so it names the last
// function of that version and is never sizeof: later functions are optional, and older plugins do not have them.
struct InterfaceRule {
    const char* id;
    std::size_t size;
    std::size_t optional;  // offset of a pointer that may be null
};

#define TN_UP_TO(table, function) (offsetof(table, function) + sizeof(void*))
constexpr auto kInterfaces = std::to_array<InterfaceRule>({
    {"tenon.env/1", TN_UP_TO(tn_env_api, step), kNone},
    {"tenon.env.async/1", TN_UP_TO(tn_env_async_api, poll), kNone},
    {"tenon.transform/1", TN_UP_TO(tn_transform_api, invert), offsetof(tn_transform_api, invert)},
    {"tenon.policy/1", TN_UP_TO(tn_policy_api, act), kNone},
    {"tenon.dataset/1", TN_UP_TO(tn_dataset_api, read), kNone},
    {"tenon.device_env/1", TN_UP_TO(tn_device_env_api, enqueue_step), kNone},
    {"tenon.device_sampler/1", TN_UP_TO(tn_device_sampler_api, enqueue_sample), kNone},
    {"tenon.sampler/1", TN_UP_TO(tn_sampler_api, sample), kNone},
    {"tenon.sampler_reads/1", TN_UP_TO(tn_sampler_reads_api, look), kNone},
    {"tenon.goal/1", TN_UP_TO(tn_goal_api, judge), kNone},
    {"tenon.graph/1", TN_UP_TO(tn_graph_component_api, build), kNone},
    {"tenon.state/1", TN_UP_TO(tn_state_api, load), kNone},
    {"tenon.arithmetic/1", TN_UP_TO(tn_arithmetic_api, describe), kNone},
    {"tenon.common/1", TN_UP_TO(tn_common_api, load), kNone},
    {"tenon.fused/1", TN_UP_TO(tn_fused_api, kernels), kNone},
    {"tenon.render/1", TN_UP_TO(tn_render_api, draw), kNone},
    {"tenon.live/1", TN_UP_TO(tn_live_api, set), kNone},
    {"tenon.wrapper/1", TN_UP_TO(tn_wrapper_api, attach), kNone},
    {"tenon.needs/1", TN_UP_TO(tn_needs_api, look), kNone},
    {"tenon.hook/1", TN_UP_TO(tn_hook_api, call), kNone},
    {"tenon.hook_writes/1", TN_UP_TO(tn_hook_writes_api, attach), kNone},
    {"tenon.planner/1", TN_UP_TO(tn_planner_api, attach), kNone},
});
#undef TN_UP_TO

struct KindRule {
    std::string_view kind;
    std::vector<std::string_view> interfaces;  // it must offer one of them
    std::string_view also = {};                // and this one
};

std::vector<KindRule> kinds() {
    return {{"env", {"tenon.env/1"}},
            {"wrapper", {"tenon.wrapper/1"}, "tenon.env/1"},
            {"transform", {"tenon.transform/1", "tenon.graph/1"}},
            {"policy", {"tenon.policy/1", "tenon.graph/1"}},
            {"buffer", {"tenon.sampler/1"}},
            {"dataset", {"tenon.dataset/1"}},
            {"objective", {"tenon.graph/1"}},
            {"hook", {"tenon.hook/1"}}};
}

// What is wrong with the table; empty if nothing is.
std::string defect(const void* table, const InterfaceRule& rule) {
    const auto* bytes = static_cast<const unsigned char*>(table);
    std::uint32_t size = 0;
    std::memcpy(&size, bytes, sizeof size);
    if (size < rule.size) {
        return "is too short: its struct_size is " + std::to_string(size) + ", but at least " +
               std::to_string(rule.size) + " is needed";
    }
    for (std::size_t at = kHeader; at < rule.size; at += sizeof(void*)) {
        std::uintptr_t function = 0;
        std::memcpy(&function, bytes + at, sizeof function);
        if (function == 0 && at != rule.optional) {
            return "has a null in place of function " + std::to_string((at - kHeader) / sizeof(void*) + 1);
        }
    }
    return {};
}

}  // namespace

Status check_interfaces(const tn_component& component, std::string_view name) {
    const std::vector<KindRule> rules = kinds();
    const KindRule* kind = nullptr;
    for (const KindRule& rule : rules) {
        if (rule.kind == component.kind) {
            kind = &rule;
        }
    }
    if (kind == nullptr) {
        return plugin_problem(std::string(name) + " is of the kind '" + component.kind +
                              "', which this host does not know");
    }
    bool offered = false;
    for (const InterfaceRule& rule : kInterfaces) {
        const void* table = component.get_interface(rule.id);
        if (table == nullptr) {
            continue;
        }
        if (const std::string what = defect(table, rule); !what.empty()) {
            return plugin_problem(std::string(name) + " offers an interface '" + rule.id + "' that " + what);
        }
        for (const std::string_view id : kind->interfaces) {
            offered = offered || id == rule.id;
        }
    }
    const bool lacks_second =
        !kind->also.empty() && component.get_interface(std::string(kind->also).c_str()) == nullptr;
    if (!offered || lacks_second) {
        std::string wanted;
        for (const std::string_view id : kind->interfaces) {
            wanted += (wanted.empty() ? "'" : " or '") + std::string(id) + "'";
        }
        wanted = offered ? "'" + std::string(kind->also) + "'" : wanted;
        return plugin_problem(std::string(name) + " does not offer the interface " + wanted + ", which its kind '" +
                              component.kind + "' requires");
    }
    return {};
}

}  // namespace tenon
