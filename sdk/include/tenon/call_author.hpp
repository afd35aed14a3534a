// SPDX-License-Identifier: Apache-2.0
// Calls a function of the author's with the arguments that it asks for.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "tenon/signature.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Selects the argument of type A, ignoring references.
template <class A, class First, class... Rest>
decltype(auto) pick(First& first, Rest&... rest) {
    if constexpr (std::same_as<std::remove_cvref_t<A>, std::remove_cv_t<First>>) {
        return (first);
    } else {
        static_assert(sizeof...(Rest) > 0,
                      "a function of this component has an unknown parameter: see transform.hpp or wrapper.hpp");
        return pick<A>(rest...);
    }
}

// Calls a static or const function of the author's with those of the available arguments that it takes.
template <auto Function, class T, class... Have>
decltype(auto) call_author(const T& author, Have&... have) {
    return [&]<class... A>(std::type_identity<std::tuple<A...>>) -> decltype(auto) {
        if constexpr (std::is_member_function_pointer_v<decltype(Function)>) {
            static_assert(
                std::is_invocable_v<decltype(Function), const T&, A...>,
                "functions of transforms and wrappers must be const: the state of a lane belongs in struct Lane");
            return (author.*Function)(pick<A>(have...)...);
        } else {
            return Function(pick<A>(have...)...);
        }
    }(std::type_identity<typename Signature<decltype(Function)>::Arguments>{});
}

}  // namespace TENON_SDK
}  // namespace tenon
