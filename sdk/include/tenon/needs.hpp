// SPDX-License-Identifier: Apache-2.0
// What a plugin uses of the machine beyond its own file, for `tenon doctor` (abi/needs.h). The function looks as the
// plugin does when it needs it; one component of the plugin names it:
//
//     tenon::Needs look() { return {{.name = "libhdf5", .use = "datasets of Minari", .found = path_of_library(), ...}};
//     }
//
//     TENON_PLUGIN("hdf5", "0.1.0", tenon::needing<look>(tenon::dataset<Minari>("minari", "datasets of Minari")));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/needs.h"
#include "tenon/component.hpp"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Need {
    std::string name = {};     // "libhdf5"
    std::string use = {};      // "datasets of Minari and D4RL"
    std::string found = {};    // where it is, and which version; empty: it is missing
    std::string missing = {};  // why it cannot be used
    std::string bring = {};    // one line for a shell
};

using Needs = std::vector<Need>;

template <Needs (*Look)()>
tn_status look_for_needs(const tn_host* host, void* to, void (*say)(void* to, const tn_need* need)) noexcept {
    return guard(*host, [&] {
        for (const Need& one : Look()) {
            const tn_need need{.struct_size = sizeof(tn_need),
                               .flags = 0,
                               .name = to_str(one.name),
                               .use = to_str(one.use),
                               .found = to_str(one.found),
                               .missing = to_str(one.missing),
                               .bring = to_str(one.bring)};
            say(to, &need);
        }
    });
}

template <Needs (*Look)(), class Adapter>
const void* interface_with_needs(const char* interface) noexcept {
    static constexpr tn_needs_api kTable = {sizeof(tn_needs_api), 0, &look_for_needs<Look>};
    return std::string_view(interface) == "tenon.needs/1" ? static_cast<const void*>(&kTable)
                                                          : interface_of<Adapter>(interface);
}

template <Needs (*Look)(), class Adapter, class T>
struct NeedingComponent : Component<Adapter, T> {
    [[nodiscard]] constexpr tn_component table() const {
        tn_component out = Component<Adapter, T>::table();
        out.get_interface = &interface_with_needs<Look, Adapter>;
        return out;
    }
};

template <Needs (*Look)(), class Adapter, class T>
consteval auto needing(Component<Adapter, T> component) {
    return NeedingComponent<Look, Adapter, T>{component};
}

}  // namespace TENON_SDK
}  // namespace tenon
