// SPDX-License-Identifier: Apache-2.0
// Copies the values of the options from the host to the author's members.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/abi/plugin.h"
#include "tenon/guard.hpp"
#include "tenon/options.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

inline const tn_option_value& find_option_value(const tn_create_args& args, std::string_view name, std::size_t index,
                                                std::int32_t type) {
    constexpr std::size_t kNeeded = offsetof(tn_option_value, count) + sizeof(tn_option_value::count);
    const tn_option_value* found = nullptr;
    for (std::size_t step = 0; step < args.option_count && found == nullptr; ++step) {
        const tn_option_value* value = args.options[(index + step) % args.option_count];  // in the order of the table
        if (value != nullptr && value->struct_size >= kNeeded && to_view(value->name) == name) {
            found = value;
        }
    }
    std::string quoted = "'";  // in two steps, because GCC 12 warns of overlapping copies otherwise
    quoted.append(name).append("'");
    if (found == nullptr) {
        throw InvalidArgument("option " + quoted + " was not passed to the plugin");
    }
    if (found->type != type) {
        throw InvalidArgument("option " + quoted + " was passed with another type than " +
                              std::string(option_type_name(type)));
    }
    return *found;
}

inline void assign_option(bool& member, const tn_option_value& value) {
    member = value.integer != 0;
}

template <std::integral T>
void assign_integer(T& member, std::int64_t value, tn_str name) {
    if (!std::in_range<T>(value)) {
        throw InvalidArgument("option '" + std::string(to_view(name)) + "' is " + std::to_string(value) +
                              ", which the plugin's type cannot hold");
    }
    member = static_cast<T>(value);
}
template <std::integral T>
void assign_option(T& member, const tn_option_value& value) {
    assign_integer(member, value.integer, value.name);
}
template <std::floating_point T>
void assign_option(T& member, const tn_option_value& value) {
    member = static_cast<T>(value.real);
}
inline void assign_option(std::string& member, const tn_option_value& value) {
    member = to_view(value.text);
}
inline void assign_option(FilePath& member, const tn_option_value& value) {
    member.path = to_view(value.text);
}
inline void assign_option(FileOrName& member, const tn_option_value& value) {
    member.text = to_view(value.text);
}
inline void assign_option(Table& member, const tn_option_value& value) {
    member.json = to_view(value.text);
}

template <class T>
void assign_option(std::vector<T>& member, const tn_option_value& value) {
    member.assign(value.count, T{});
    for (std::size_t i = 0; i < member.size(); ++i) {
        if constexpr (std::integral<T>) {
            assign_integer(member[i], value.integers[i], value.name);
        } else if constexpr (std::floating_point<T>) {
            member[i] = static_cast<T>(value.reals[i]);
        } else {
            member[i] = to_view(value.texts[i]);
        }
    }
}

// Sets a member, if the option has one. It is a function of the member alone, which all components that inherit it
// share.
template <auto Member>
void set_member(typename MemberPointer<decltype(Member)>::Object& object, const tn_option_value& value) {
    assign_option(object.*Member, value);
}
template <std::nullptr_t>
void set_member(const auto& /*object*/, const tn_option_value& /*value*/) {}

// Sets the members of object to the values that the host passed. Throws if they do not match the option table.
template <class T>
void bind_options(T& object, const tn_create_args& args) {
    std::apply(
        [&](const auto&... option) {
            std::size_t index = 0;
            (set_member<std::remove_cvref_t<decltype(option)>::kMember>(
                 object, find_option_value(args, option.name, index++, option.type)),
             ...);
        },
        options_of<T>());
}

// Runs at the start of every instance: sets the options and then calls setup(), if the author wrote one, which checks
// combinations of options, derives values and allocates.
template <class T>
void configure(T& object, const tn_create_args& args) {
    bind_options(object, args);
    static_assert(requires { object.setup(); } || !requires { &T::setup; }, "setup takes nothing: void setup()");
    if constexpr (requires { object.setup(); }) {
        object.setup();
    }
}

}  // namespace TENON_SDK
}  // namespace tenon
