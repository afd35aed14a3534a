// SPDX-License-Identifier: Apache-2.0
// The parameters of an author's function. The adapters read them from the function's type, so that the author need not
// repeat them.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Function>
struct Signature;
template <class R, class... A>
struct Signature<R (*)(A...)> {
    using Result = R;
    using Arguments = std::tuple<A...>;
};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class T, class R, class... A>
struct Signature<R (T::*)(A...)> : Signature<R (*)(A...)> {};
template <class T, class R, class... A>
struct Signature<R (T::*)(A...) const> : Signature<R (*)(A...)> {};
template <class T, class R, class... A>
struct Signature<R (T::*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class T, class R, class... A>
struct Signature<R (T::*)(A...) const noexcept> : Signature<R (*)(A...)> {};

// Calls visit.operator()<A>() for every parameter type of the function.
template <auto Function, class Visit>
constexpr void for_each_argument(Visit&& visit) {
    [&]<class... A>(std::type_identity<std::tuple<A...>>) {
        (visit.template operator()<A>(), ...);
    }(std::type_identity<typename Signature<decltype(Function)>::Arguments>{});
}

// Whether the function has a parameter of exactly this type.
template <class Argument, auto Function>
consteval bool has_argument() {
    return []<class... A>(std::type_identity<std::tuple<A...>>) {
        return (std::same_as<A, Argument> || ...);
    }(std::type_identity<typename Signature<decltype(Function)>::Arguments>{});
}

// std::span<float, 4> has an element type and a length; other types have neither.
template <class T>
struct SpanTraits {
    static constexpr bool kIsSpan = false;
};
template <class E, std::size_t N>
struct SpanTraits<std::span<E, N>> {
    static constexpr bool kIsSpan = true;
    static constexpr std::size_t kExtent = N;
    using Element = E;
};

template <class T>
concept InputSpan = SpanTraits<T>::kIsSpan && std::is_const_v<typename SpanTraits<T>::Element>;
template <class T>
concept OutputSpan = SpanTraits<T>::kIsSpan && !std::is_const_v<typename SpanTraits<T>::Element>;

}  // namespace TENON_SDK
}  // namespace tenon
