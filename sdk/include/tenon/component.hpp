// SPDX-License-Identifier: Apache-2.0
// One component of a plugin, as TENON_PLUGIN takes it. To add a new kind of component to the SDK, write
//
//     template <class T>
//     class Adapter {
//       public:
//         explicit Adapter(const tn_create_args& args);                   // may throw; keeps args.host if it needs it
//         static const void* get_interface(std::string_view interface);  // a constant table or nullptr
//     };
//     template <class T>
//     consteval auto my_kind(const char* id, const char* help) {
//         return tenon::component<Adapter<T>, T>(id, "my_kind", help);
//     }
//
// Every `self` that the host passes to a function of the table is an Adapter*. T is the author's type: its `options`
// are written to the note, and bind_options sets them. Functions of the table call code that may throw inside guard.
#pragma once

#include <cstddef>
#include <string_view>

#include "tenon/abi/plugin.h"
#include "tenon/guard.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Adapter>
[[gnu::cold]] tn_status create_instance(const tn_create_args* args, void** self) noexcept {
    constexpr std::size_t kNeeded = offsetof(tn_create_args, key) + sizeof(tn_key);
    if (args == nullptr || self == nullptr || args->struct_size < kNeeded || args->host == nullptr) {
        return TN_INVALID_ARGUMENT;
    }
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): guard catches
    return guard(*args->host, [&] { *self = new Adapter(*args); });
}

template <class Adapter>
[[gnu::cold]] void destroy_instance(void* self) noexcept {
    delete static_cast<Adapter*>(self);
}

template <class Adapter>
const void* interface_of(const char* interface) noexcept {
    return Adapter::get_interface(std::string_view(interface));
}

// One text option that has another default in a component than the author's type says, so that several components of
// one type differ: tenon::env<Game>("Pong-v5", "...", {"game", "pong"}).
struct Preset {
    std::string_view option;
    std::string_view value;
};

template <class Adapter, class T>
struct Component {
    using Author = T;

    const char* id;
    const char* kind;
    const char* help;
    Preset preset = {};

    [[nodiscard]] constexpr tn_component table() const {
        return {.struct_size = sizeof(tn_component),
                .flags = 0,
                .id = id,
                .kind = kind,
                .create = &create_instance<Adapter>,
                .destroy = &destroy_instance<Adapter>,
                .get_interface = &interface_of<Adapter>};
    }
};

template <class Adapter, class T>
consteval Component<Adapter, T> component(const char* id, const char* kind, const char* help, Preset preset = {}) {
    return {id, kind, help, preset};
}

}  // namespace TENON_SDK
}  // namespace tenon

// A plugin with many components can be split into several files. TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Scale>);
// next to TENON_PLUGIN leaves the code of that component to the file with TENON_CODE(tenon::TransformAdapter<Scale>);
#define TENON_CODE(...)                                                                                       \
    template tn_status tenon::create_instance<__VA_ARGS__>(const tn_create_args* args, void** self) noexcept; \
    template void tenon::destroy_instance<__VA_ARGS__>(void* self) noexcept;                                  \
    template const void* tenon::interface_of<__VA_ARGS__>(const char* interface) noexcept
#define TENON_CODE_ELSEWHERE(...)                                                                                    \
    extern template tn_status tenon::create_instance<__VA_ARGS__>(const tn_create_args* args, void** self) noexcept; \
    extern template void tenon::destroy_instance<__VA_ARGS__>(void* self) noexcept;                                  \
    extern template const void* tenon::interface_of<__VA_ARGS__>(const char* interface) noexcept
