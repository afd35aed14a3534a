// SPDX-License-Identifier: Apache-2.0
// Options: what a manifest may set for a component. An author lists them once, next to the members they set:
//
//     struct CartPole {
//         double length;
//         std::string integrator;
//         std::vector<std::int64_t> sizes;
//
//         static constexpr auto options = std::tuple{
//             tenon::option<&CartPole::length>("length", 0.5, "(0,10]", "half the pole's length in metres"),
//             tenon::option<&CartPole::integrator>("integrator", "euler", "euler|semi_implicit", "how x follows v"),
//             tenon::option<&CartPole::sizes>("sizes", {120, 84}, "[1,inf)", "one number per layer"),
//         };
//     };
//
// A member of type tenon::Table takes a table of any keys and values, as the text of a JSON object:
// tenon::option<&CartPole::extra>("extra", "what else it is given").
//
// A member of type tenon::FilePath or tenon::FileOrName takes the path of a file or folder. In a manifest a relative
// one begins at the manifest's folder; the plugin gets an absolute path.
//
// The table becomes part of the plugin's note at compile time, and the host checks manifests against it. The members of
// every instance are set before any other function is called; the first one called is `void setup()`, if there is one.
// Mistakes in the table, such as a default outside its range, are compile errors.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tenon/abi/option.h"
#include "tenon/json.hpp"
#include "tenon/range.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// How a schema writes a member's type: the option's type, and the literal type of its default.
template <class T>
struct OptionType;
template <>
struct OptionType<bool> {
    static constexpr std::int32_t kCode = TN_OPTION_BOOL;
    using Default = bool;
};
template <std::integral T>
    requires(!std::same_as<T, bool>)
struct OptionType<T> {
    static constexpr std::int32_t kCode = TN_OPTION_INT;
    using Default = std::int64_t;
};
template <std::floating_point T>
struct OptionType<T> {
    static constexpr std::int32_t kCode = TN_OPTION_FLOAT;
    using Default = double;
};
template <>
struct OptionType<std::string> {
    static constexpr std::int32_t kCode = TN_OPTION_STRING;
    using Default = std::string_view;
};

// The value of an option that is a table of any keys and values: a JSON object (abi/option.h).
struct Table {
    std::string json = "{}";
};
struct EmptyTable {};
template <>
struct OptionType<Table> {
    static constexpr std::int32_t kCode = TN_OPTION_TABLE;
    using Default = EmptyTable;
};

// The path of a file or folder (abi/plugin.h); empty if none is given.
struct FilePath {
    std::string path;
};
template <>
struct OptionType<FilePath> {
    static constexpr std::int32_t kCode = TN_OPTION_STRING;
    static constexpr std::string_view kPath = "file";
    using Default = std::string_view;
};
// The path of a file, or a name, which has no '/'.
struct FileOrName {
    std::string text;

    [[nodiscard]] bool is_path() const { return text.find('/') != std::string::npos; }
};
template <>
struct OptionType<FileOrName> {
    static constexpr std::int32_t kCode = TN_OPTION_STRING;
    static constexpr std::string_view kPath = "file_or_name";
    using Default = std::string_view;
};

template <class T>
    requires(!std::same_as<T, bool>)
struct OptionType<std::vector<T>> {
    static constexpr std::int32_t kCode = OptionType<T>::kCode + 3;
    using Element = typename OptionType<T>::Default;
};
static_assert(TN_OPTION_INTS == TN_OPTION_INT + 3 && TN_OPTION_FLOATS == TN_OPTION_FLOAT + 3 &&
              TN_OPTION_STRINGS == TN_OPTION_STRING + 3);

constexpr std::string_view option_type_name(std::int32_t code) {
    constexpr std::array<std::string_view, 9> kNames = {"",     "bool",   "int",     "float", "string",
                                                        "ints", "floats", "strings", "table"};
    return kNames[static_cast<std::size_t>(code)];
}

template <class M>
struct MemberPointer;
template <class Owner, class T>
struct MemberPointer<T Owner::*> {
    using Type = T;
    using Object = Owner;
};

template <auto Member>
using MemberType = typename MemberPointer<decltype(Member)>::Type;
template <auto Member>
using ScalarDefault = typename OptionType<MemberType<Member>>::Default;
template <auto Member>
using ListElement = typename OptionType<MemberType<Member>>::Element;

// One line of the table. kMember is nullptr if the option has no member; limits are a range or choices "a|b|c".
template <auto Member, class Default>
struct Option {
    static constexpr auto kMember = Member;

    std::int32_t type;
    std::string_view name;
    Default standard;
    std::string_view limits;
    std::string_view help;
    bool live = false;
    bool required = false;

    [[nodiscard]] constexpr bool has_choices() const { return type == TN_OPTION_STRING || type == TN_OPTION_STRINGS; }
};

constexpr void check_default(bool /*value*/, std::string_view /*limits*/) {}
constexpr void check_default(EmptyTable /*value*/, std::string_view /*limits*/) {}
constexpr void check_default(double value, std::string_view range) {
    if (!option_range(range).contains(value)) {
        throw "an option's default is outside its range";
    }
}
constexpr void check_default(std::int64_t value, std::string_view range) {
    check_default(static_cast<double>(value), range);
}
constexpr void check_default(std::string_view value, std::string_view choices) {
    bool found = choices.empty();
    while (!choices.empty()) {
        const std::string_view choice = choices.substr(0, choices.find('|'));
        found = found || choice == value;
        choices.remove_prefix(choice.size() < choices.size() ? choice.size() + 1 : choice.size());
    }
    if (!found) {
        throw "an option's default is not among its choices";
    }
}
template <class Element, std::size_t N>
constexpr void check_default(const std::array<Element, N>& values, std::string_view limits) {
    for (const Element& value : values) {
        check_default(value, limits);
    }
}

// Only the compiler evaluates it: a throw is an error at the author's line.
template <auto Member, class Default>
consteval Option<Member, Default> checked(Option<Member, Default> option) {
    if (option.name.empty() || option.help.empty()) {
        throw "an option needs a name and a help text";
    }
    for (const char c : option.name) {
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_') {
            throw "an option's name may have only lower-case letters, digits and '_'";
        }
    }
    if (!option.has_choices() && !option.limits.empty()) {
        option_range(option.limits);
    }
    if (!option.required) {
        check_default(option.standard, option.limits);
    }
    return option;
}

// option<&T::member>(name, default, [range or choices,] help)
template <auto Member>
consteval auto option(std::string_view name, ScalarDefault<Member> standard, std::string_view limits,
                      std::string_view help) {
    return checked(
        Option<Member, ScalarDefault<Member>>{OptionType<MemberType<Member>>::kCode, name, standard, limits, help});
}
template <auto Member>
consteval auto option(std::string_view name, ScalarDefault<Member> standard, std::string_view help) {
    return option<Member>(name, standard, {}, help);
}

// A table, empty by default: option<&T::member>(name, help)
template <auto Member>
    requires std::same_as<MemberType<Member>, Table>
consteval auto option(std::string_view name, std::string_view help) {
    return option<Member>(name, EmptyTable{}, {}, help);
}

// The same for lists; write the default as {1, 2, 3} or {}.
template <auto Member, std::size_t N>
consteval auto option(std::string_view name, const ListElement<Member> (&standard)[N], std::string_view limits,
                      std::string_view help) {
    return checked(Option<Member, std::array<ListElement<Member>, N>>{OptionType<MemberType<Member>>::kCode, name,
                                                                      std::to_array(standard), limits, help});
}
template <auto Member>
consteval auto option(std::string_view name, std::array<ListElement<Member>, 0> standard, std::string_view limits,
                      std::string_view help) {
    return checked(Option<Member, std::array<ListElement<Member>, 0>>{OptionType<MemberType<Member>>::kCode, name,
                                                                      standard, limits, help});
}

// An option without a default: every manifest must set it.
template <auto Member>
consteval auto required(std::string_view name, std::string_view limits, std::string_view help) {
    return checked(Option<Member, bool>{OptionType<MemberType<Member>>::kCode, name, false, limits, help, false, true});
}

// A number that [schedule] may change: graphs read it as a node, and wrappers find the present value in the member. In
// graphs the member is for plain C++ code that needs the initial value, and may be omitted.
template <auto Member>
consteval auto live(std::string_view name, double standard, std::string_view range, std::string_view help) {
    static_assert(std::floating_point<MemberType<Member>>, "a live option must be a floating-point number");
    return checked(Option<Member, double>{TN_OPTION_FLOAT, name, standard, range, help, true});
}
consteval auto live(std::string_view name, double standard, std::string_view range, std::string_view help) {
    return checked(Option<nullptr, double>{TN_OPTION_FLOAT, name, standard, range, help, true});
}

// The table of T; empty if T has none.
template <class T>
constexpr auto options_of() {
    if constexpr (requires { T::options; }) {
        return T::options;
    } else {
        return std::tuple<>{};
    }
}

// Calls visit(option, index) for every option of T.
template <class T, class Visit>
constexpr void for_each_option(Visit&& visit) {
    std::apply(
        [&](const auto&... option) {
            std::size_t index = 0;
            (visit(option, index++), ...);
        },
        options_of<T>());
}

}  // namespace TENON_SDK
}  // namespace tenon
