// SPDX-License-Identifier: Apache-2.0
// Passes a row of one column through the author's apply or invert, with the arguments that it asks for.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tenon/call_author.hpp"
#include "tenon/column.hpp"
#include "tenon/guard.hpp"
#include "tenon/signature.hpp"
#include "tenon/spec.hpp"
#include "tenon/transform_group.hpp"
#include "tenon/transform_specs.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Converts to the nearest number of the type; NaN becomes 0 if the type has none.
template <class E>
E number_as(double x) {
    if constexpr (std::same_as<E, bool>) {
        return x != 0;
    } else if constexpr (std::floating_point<E>) {
        return static_cast<E>(x);
    } else {
        constexpr double kLow = static_cast<double>(std::numeric_limits<E>::min());
        constexpr double kHigh = static_cast<double>(std::numeric_limits<E>::max());
        if (x != x) {
            return 0;
        }
        return x <= kLow    ? std::numeric_limits<E>::min()
               : x >= kHigh ? std::numeric_limits<E>::max()
                            : static_cast<E>(x);
    }
}

// Reads part of a row as doubles, and writes doubles as the nearest numbers of the column's type. Outside of RowMap,
// which would instantiate them for every transform and pair of types.
inline void read_numbers(const Column& from, std::uint32_t slot, std::uint32_t lane, std::size_t first,
                         std::span<double> to) {
    with_dtype(from.dtype(), [&](auto zero) {
        const auto row = from.row<const decltype(zero)>(slot, lane).subspan(first, to.size());
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = static_cast<double>(row[i]);
        }
    });
}
inline void write_numbers(const Column& to, std::uint32_t slot, std::uint32_t lane, std::size_t first,
                          std::span<const double> from) {
    with_dtype(to.dtype(), [&](auto zero) {
        const auto row = to.row<decltype(zero)>(slot, lane).subspan(first, from.size());
        for (std::size_t i = 0; i < from.size(); ++i) {
            row[i] = number_as<decltype(zero)>(from[i]);
        }
    });
}

// How Function, which is T's apply or invert, converts a row from one side to the other:
//     double (double x[, std::size_t element])          element by element, of any type
//     void (std::span<const A> in, std::span<B> out)     a row at a time
//     void (std::span<const std::byte>, std::span<std::byte>)   the same for elements of any type
// Each may also take a Lane& and the arguments `more`: a Rng& and, for apply, the TransformRow. A column that keeps its
// key, type and shape has the same memory on both sides: then `in` is a copy in `scratch`, unless that is null. Of a
// column of a group it is the row of one agent.
template <auto Function>
class RowMap {
public:
    static constexpr bool takes_rows() { return !kByElement; }

    // Throws if the columns do not have the types that Function takes.
    static void check(const Spec& from, const Spec& to) {
        if constexpr (kByElement) {
            if (from.shape != to.shape) {
                throw InvalidArgument("column '" + from.key + "' changes its shape, which this transform cannot do");
            }
        } else if constexpr (!std::same_as<In, const std::byte>) {
            const std::int32_t in = dtype_of<std::remove_const_t<In>>();
            const std::int32_t out = dtype_of<Out>();
            if (from.dtype != in || to.dtype != out) {
                throw InvalidArgument("the transform turns " + std::string(dtype_name(in)) + " into " +
                                      dtype_name(out) + ", but column '" + from.key + "' goes from " +
                                      dtype_name(from.dtype) + " to " + dtype_name(to.dtype));
            }
        }
    }

    template <class T, class Lane, class... More>
    static void run(const T& author, Lane& lane, const Column& from, const Column& to, std::uint32_t slot,
                    std::uint32_t lane_number, const AgentPart& part, std::byte* scratch, More&... more) {
        if constexpr (kByElement) {
            std::array<double, 64> numbers;
            const std::size_t elements = part.agents == 1 ? to.elements() : to.elements() / part.agents;
            const std::size_t begin = part.agent * elements;
            for (std::size_t first = 0; first < elements; first += numbers.size()) {
                const std::span some(numbers.data(), std::min(numbers.size(), elements - first));
                read_numbers(from, slot, lane_number, begin + first, some);
                for (std::size_t i = 0; i < some.size(); ++i) {
                    const double x = some[i];
                    const std::size_t element = first + i;
                    some[i] = call_author<Function>(author, lane, x, element, more...);
                }
                write_numbers(to, slot, lane_number, begin + first, some);
            }
        } else if constexpr (std::same_as<In, const std::byte>) {
            const std::span<std::byte> out = part.of(to.bytes(slot, lane_number));
            const std::span<const std::byte> in =
                apart<const std::byte>(part.of(from.bytes(slot, lane_number)), out, scratch);
            call_author<Function>(author, lane, in, out, more...);
        } else {
            const auto out = part.of(to.row<Out>(slot, lane_number));
            const auto in = apart(part.of(from.row<In>(slot, lane_number)), std::as_writable_bytes(out), scratch);
            call_author<Function>(author, lane, in, out, more...);
        }
    }

private:
    template <class E>
    static std::span<E> apart(std::span<E> in, std::span<std::byte> out, std::byte* scratch) {
        if (scratch == nullptr || std::as_bytes(in).data() != out.data()) {
            return in;
        }
        std::memcpy(scratch, in.data(), in.size_bytes());
        return {static_cast<E*>(static_cast<void*>(scratch)), in.size()};
    }

    // The element types of the function's spans.
    struct Elements {
        template <class... A>
        static constexpr bool takes_number(std::type_identity<std::tuple<A...>>) {
            return (std::same_as<std::remove_cvref_t<A>, double> || ...);
        }
        template <bool Input, class A, class... Rest>
        static auto span_of(std::type_identity<std::tuple<A, Rest...>>) {
            using Plain = std::remove_cvref_t<A>;
            if constexpr ((Input && InputSpan<Plain>) || (!Input && OutputSpan<Plain>)) {
                return std::type_identity<typename SpanTraits<Plain>::Element>{};
            } else {
                static_assert(sizeof...(Rest) > 0,
                              "apply and invert must take numbers or two spans: see transform.hpp");
                return span_of<Input>(std::type_identity<std::tuple<Rest...>>{});
            }
        }
        template <bool Input>
        static auto element() {
            if constexpr (takes_number(Arguments{})) {
                return std::type_identity<double>{};
            } else {
                return span_of<Input>(Arguments{});
            }
        }
        using Arguments = std::type_identity<typename Signature<decltype(Function)>::Arguments>;
    };
    static constexpr bool kByElement = Elements::takes_number(typename Elements::Arguments{});
    using Result = typename Signature<decltype(Function)>::Result;
    static_assert(kByElement ? std::convertible_to<Result, double> : std::is_void_v<Result>,
                  "apply and invert must return the new number if they take one, and nothing if they take spans: see "
                  "tenon/transform.hpp");
    using In = typename decltype(Elements::template element<true>())::type;
    using Out = typename decltype(Elements::template element<false>())::type;
};

}  // namespace TENON_SDK
}  // namespace tenon
