// SPDX-License-Identifier: Apache-2.0
#include "commands/doctor/needs.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "plugins/plugin/call.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/abi/needs.h"

namespace tenon {
namespace {

std::string copy_of(tn_str text) {
    return text.data == nullptr ? std::string() : repaired({text.data, static_cast<std::size_t>(text.size)});
}

void keep_need(void* to, const tn_need* need) {
    constexpr std::size_t kRead = offsetof(tn_need, bring) + sizeof(tn_str);
    if (need != nullptr && need->struct_size >= kRead) {
        static_cast<std::vector<MachinePart>*>(to)->push_back({copy_of(need->name),
                                                               copy_of(need->use),
                                                               copy_of(need->found),
                                                               copy_of(need->missing),
                                                               copy_of(need->bring),
                                                               {}});
    }
}

}  // namespace

Result<std::vector<MachinePart>> needs_of(const LoadedComponent& component) {
    std::vector<MachinePart> out;
    const auto* table = static_cast<const tn_needs_api*>(component.component->get_interface("tenon.needs/1"));
    if (table == nullptr) {
        return out;
    }
    const std::string& name = component.info.name;
    const tn_status status = call_plugin(name, "look", component.info.place, table->look, component.host,
                                         static_cast<void*>(&out), &keep_need);
    TENON_TRY(check_call(status, name, "look"));
    for (MachinePart& part : out) {
        part.plugin = component.info.plugin->library;
    }
    return out;
}

}  // namespace tenon
