// SPDX-License-Identifier: Apache-2.0
// Live options of components that are not graphs: a member receives the present value.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tenon/options.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
consteval bool live_options_have_members() {
    bool all = true;
    for_each_option<T>([&]<auto Member, class Default>(const Option<Member, Default>& option, std::size_t) {
        all = all && (!option.live || !std::is_same_v<decltype(Member), std::nullptr_t>);
    });
    return all;
}

// The sentence of a static_assert, which takes no variable.
#define TENON_LIVE_OPTION_NEEDS_A_MEMBER \
    "a live option needs a member that gets its value: tenon::live<&T::name>(\"name\", ...); only graphs do without"

}  // namespace TENON_SDK
}  // namespace tenon
