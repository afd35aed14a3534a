// SPDX-License-Identifier: Apache-2.0
// The author's env in one lane: passes reset and step the arguments they ask for.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "tenon/abi/env.h"
#include "tenon/env_spec.hpp"
#include "tenon/random.hpp"
#include "tenon/signature.hpp"
#include "tenon/step_result.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class A>
concept ScalarAction =
    std::same_as<A, std::int64_t> || std::same_as<A, int> || std::same_as<A, float> || std::same_as<A, double>;

// The default element type of a column for an author's parameter of type A.
template <ScalarAction A>
using ScalarElement = std::conditional_t<std::same_as<A, int>, std::int64_t, A>;

inline bool is_float(std::int32_t dtype) {
    return dtype == TN_F32 || dtype == TN_F64;
}

// Throws if a function that takes a single observation or action does not match spec(). hint: what else the author may
// have meant if the type does not match.
inline void check_single(const std::vector<Spec>& specs, const std::string& function, const std::string& what,
                         std::int32_t dtype, std::size_t extent, const std::string& hint = "") {
    if (specs.size() != 1) {
        throw InvalidArgument(function + " takes one " + what + ", but spec() lists " + std::to_string(specs.size()) +
                              ": use a tenon::EnvRow instead");
    }
    const Spec& spec = specs[0];
    if (spec.dtype != dtype) {
        throw InvalidArgument(function + " takes the " + what + " '" + spec.key + "' as " + dtype_name(dtype) +
                              ", but spec() says " + dtype_name(spec.dtype) + place_of(spec) + hint);
    }
    if (extent != std::dynamic_extent && static_cast<std::int64_t>(extent) != spec.elements()) {
        throw InvalidArgument(function + " takes " + std::to_string(extent) + (extent == 1 ? " element" : " elements") +
                              " of the " + what + " '" + spec.key + "', but spec() says " +
                              std::to_string(spec.elements()) + place_of(spec) + hint);
    }
}

// For a span that a function writes: a hint if it matches the action instead.
inline std::string hint_of_action(const EnvSpec& spec, const std::string& function, std::int32_t dtype) {
    const bool fits = function == "step" && spec.actions.size() == 1 && spec.actions[0].dtype == dtype;
    return fits ? "; to take the action '" + spec.actions[0].key + "', say const: std::span<const ...>" : "";
}

// The action as one number. An integer parameter accepts all integer types, a floating-point one all floats.
template <ScalarAction A>
A read_action(const Column& column, std::uint32_t slot, std::uint32_t lane) {
    using E = ScalarElement<A>;
    if (column.dtype() == dtype_of<E>()) [[likely]] {
        return static_cast<A>(column.scalar<const E>(slot, lane));
    }
    return with_dtype(column.dtype(),
                      [&](auto zero) { return static_cast<A>(column.scalar<const decltype(zero)>(slot, lane)); });
}

[[noreturn]] inline void refuse_action(std::int64_t action, std::int64_t choices) {
    throw InvalidArgument("action " + std::to_string(action) + " is not one of 0 to " + std::to_string(choices - 1));
}

template <class T>
struct EnvLane {
    explicit EnvLane(const tn_host& host) : rng(host) {}

    T env{};
    Rng rng;
    std::int64_t steps = 0;

    void reset(const EnvColumns& columns, std::uint32_t lane, std::uint32_t slot) {
        call<&T::reset>(Place{columns, lane, slot, slot});
    }
    StepResult step(const EnvColumns& columns, std::uint32_t lane, std::uint32_t slot, std::uint32_t next_slot) {
        return call<&T::step>(Place{columns, lane, slot, next_slot});
    }

    // Throws if the author's functions and spec() do not match.
    static void check(const EnvSpec& spec) {
        for_each_argument<&T::reset>([&]<class A> { check_argument<A>(spec, "reset"); });
        for_each_argument<&T::step>([&]<class A> { check_argument<A>(spec, "step"); });
    }

private:
    struct Place {
        const EnvColumns& columns;
        std::uint32_t lane;
        std::uint32_t slot;
        std::uint32_t next_slot;
    };

    template <auto Function>
    decltype(auto) call(const Place& place) {
        return [&]<class... A>(std::type_identity<std::tuple<A...>>) -> decltype(auto) {
            if constexpr (std::is_member_function_pointer_v<decltype(Function)>) {
                return (env.*Function)(argument<A>(place)...);
            } else {
                return Function(argument<A>(place)...);
            }
        }(std::type_identity<typename Signature<decltype(Function)>::Arguments>{});
    }

    template <class A>
    decltype(auto) argument(const Place& place) {
        using Plain = std::remove_cvref_t<A>;
        if constexpr (std::same_as<A, Rng&>) {
            return (rng);
        } else if constexpr (std::same_as<Plain, EnvRow>) {
            return EnvRow(place.columns, place.lane, place.slot, place.next_slot);
        } else if constexpr (InputSpan<Plain>) {
            using E = typename SpanTraits<Plain>::Element;
            return Plain(place.columns.actions[0].template row<E>(place.slot, place.lane));
        } else if constexpr (OutputSpan<Plain>) {
            using E = typename SpanTraits<Plain>::Element;
            return Plain(place.columns.observations[0].template row<E>(place.next_slot, place.lane));
        } else {
            using E = std::conditional_t<std::integral<Plain>, std::int64_t, Plain>;
            const E action = read_action<E>(place.columns.actions[0], place.slot, place.lane);
            if constexpr (std::integral<E>) {
                if (place.columns.choices > 0 && (action < 0 || action >= place.columns.choices)) {
                    refuse_action(action, place.columns.choices);
                }
            }
            return static_cast<Plain>(action);
        }
    }

    template <class A>
    static void check_argument(const EnvSpec& spec, const char* function) {
        using Plain = std::remove_cvref_t<A>;
        if constexpr (InputSpan<Plain>) {
            using Traits = SpanTraits<Plain>;
            check_single(spec.actions, function, "action", dtype_of<std::remove_const_t<typename Traits::Element>>(),
                         Traits::kExtent);
        } else if constexpr (OutputSpan<Plain>) {
            using Traits = SpanTraits<Plain>;
            constexpr std::int32_t kType = dtype_of<typename Traits::Element>();
            check_single(spec.observations, function, "observation", kType, Traits::kExtent,
                         hint_of_action(spec, function, kType));
        } else if constexpr (ScalarAction<Plain>) {
            constexpr std::int32_t kType = dtype_of<ScalarElement<Plain>>();
            const bool fits = spec.actions.size() == 1 && is_float(spec.actions[0].dtype) == is_float(kType);
            check_single(spec.actions, function, "action", fits ? spec.actions[0].dtype : kType, 1);
        }
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
