// SPDX-License-Identifier: Apache-2.0
// The adapter from an author's type to "tenon.graph/1", for policies and objectives. T has options and functions:
//
//     static constexpr auto functions = std::tuple{
//         tenon::function<&Head::log_prob>("log_prob", "action", "log_prob"), ...};
//
// where Value Head::log_prob(const Graph&, Value action) const. Several outputs are returned as Draw or
// std::array<Value, N>.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "tenon/bind_options.hpp"
#include "tenon/build.hpp"
#include "tenon/component.hpp"
#include "tenon/fused.hpp"
#include "tenon/signature.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <auto Member>
struct Function {
    static constexpr auto kMember = Member;
    const char* name;
    const char* inputs;
    const char* outputs;
};

constexpr std::size_t count_names(std::string_view names) {
    std::size_t count = names.empty() ? 0 : 1;
    for (const char c : names) {
        count += c == ' ' ? 1U : 0U;
    }
    return count;
}

template <class Result>
inline constexpr std::size_t kOutputs = 1;
template <>
inline constexpr std::size_t kOutputs<void> = 0;
template <>
inline constexpr std::size_t kOutputs<Draw> = 2;
template <std::size_t N>
inline constexpr std::size_t kOutputs<std::array<Value, N>> = N;

// One exported function of a component: its name, and the names of its inputs and outputs, separated by one blank.
template <auto Member>
consteval Function<Member> function(const char* name, const char* inputs, const char* outputs) {
    using Of = Signature<decltype(Member)>;
    if (count_names(inputs) + 1 != std::tuple_size_v<typename Of::Arguments>) {
        throw "the function must take a Graph and one Value per name in inputs";
    }
    if (count_names(outputs) != kOutputs<typename Of::Result>) {
        throw "the function must return one Value per name in outputs";
    }
    return {name, inputs, outputs};
}

template <class T>
class GraphComponent {
public:
    explicit GraphComponent(const tn_create_args& args) : host_(args.host) { configure(author_, args); }

    static const void* get_interface(std::string_view interface) {
        if constexpr (requires { T::fused_kernels; }) {
            if (interface == "tenon.fused/1") {
                return detail::FusedInterface<GraphComponent, T>::table();
            }
        }
        return interface == "tenon.graph/1" ? &kApi : nullptr;
    }

    [[nodiscard]] const tn_host& host() const { return *host_; }

private:
    static constexpr auto kFunctions = std::apply(
        [](const auto&... f) {
            return std::array<tn_function, sizeof...(f)>{
                tn_function{sizeof(tn_function), 0, f.name, f.inputs, f.outputs}...};
        },
        T::functions);

    static tn_status functions(void* /*self*/, const tn_function* const** list, std::uint32_t* count) noexcept {
        static constexpr auto kPointers = [] {
            std::array<const tn_function*, kFunctions.size()> out{};
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = &kFunctions[i];
            }
            return out;
        }();
        *list = kPointers.data();
        *count = static_cast<std::uint32_t>(kPointers.size());
        return TN_OK;
    }

    static tn_status build(void* self, const tn_build_args* args) noexcept {
        const auto& component = *static_cast<GraphComponent*>(self);
        const detail::Build here{args->api, args->graph, mode_of(*args), component.host_, &component.warned_};
        const detail::Build* outer = std::exchange(detail::current_build(), &here);
        const tn_status status = guard(*component.host_, [&] { return component.dispatch(*args); });
        detail::current_build() = outer;
        return status;
    }

    // Hosts that do not set the mode build one function for both training and acting.
    static std::string_view mode_of(const tn_build_args& args) {
        constexpr std::size_t kEnd = offsetof(tn_build_args, mode) + sizeof(args.mode);
        return args.struct_size >= kEnd && args.mode != nullptr ? args.mode : "train";
    }

    [[nodiscard]] tn_status dispatch(const tn_build_args& args) const {
        tn_status status = TN_NOT_FOUND;
        std::apply(
            [&](const auto&... f) {
                (void)((args.function == std::string_view(f.name) && (status = invoke(f, args), true)) || ...);
            },
            T::functions);
        return status;
    }

    template <auto Member>
    [[nodiscard]] tn_status invoke(const Function<Member>&, const tn_build_args& args) const {
        constexpr std::size_t kInputs = std::tuple_size_v<typename Signature<decltype(Member)>::Arguments> - 1;
        using Result = typename Signature<decltype(Member)>::Result;
        constexpr bool kIsCalled = []<std::size_t... I>(std::index_sequence<I...>) {
            return std::is_invocable_v<decltype(Member), const T&, const Graph&, decltype(Value{args.in[I]})...>;
        }(std::make_index_sequence<kInputs>{});
        static_assert(
            kIsCalled,
            "functions of policies and objectives must be const and take a const tenon::Graph& and a tenon::Value "
            "for each of their inputs");
        constexpr bool kIsStored =
            std::is_void_v<Result> || requires(const Result& result) { store(result, args.out); };
        static_assert(kIsStored,
                      "functions of policies and objectives must return nothing, a tenon::Value, a tenon::Draw or a "
                      "std::array of tenon::Value");
        if (args.in_count < kInputs || args.out_capacity < kOutputs<Result>) {
            return TN_INVALID_ARGUMENT;
        }
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            const Graph graph;
            if constexpr (!kIsCalled || !kIsStored) {
                return TN_INTERNAL;
            } else if constexpr (std::is_void_v<Result>) {
                (author_.*Member)(graph, Value{args.in[I]}...);
            } else {
                store((author_.*Member)(graph, Value{args.in[I]}...), args.out);
            }
            return TN_OK;
        }(std::make_index_sequence<kInputs>{});
    }

    static void store(Value value, tn_value* out) { out[0] = value.id; }
    static void store(const Draw& draw, tn_value* out) {
        out[0] = draw.action.id;
        out[1] = draw.log_prob.id;
    }
    template <std::size_t N>
    static void store(const std::array<Value, N>& values, tn_value* out) {
        for (std::size_t i = 0; i < N; ++i) {
            out[i] = values[i].id;
        }
    }

    static constexpr tn_graph_component_api kApi{sizeof(tn_graph_component_api), 0, &functions, &build};

    const tn_host* host_;
    T author_{};
    mutable std::set<std::string> warned_;
};

}  // namespace TENON_SDK
}  // namespace tenon
