// SPDX-License-Identifier: Apache-2.0
// The plugin's note (abi/plugin.h), which the compiler builds from names and option tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "tenon/abi/plugin.h"
#include "tenon/component.hpp"
#include "tenon/json.hpp"
#include "tenon/options.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// A plugin needs the minor it was built for (abi/types.h).
inline constexpr std::uint16_t kAbiMinorNeeded = TN_TARGET_MINOR;

// The layout of an ELF note: three words, the name and the description, each padded to four bytes.
template <std::size_t Size>
struct Note {
    std::uint32_t name_size = sizeof(TN_NOTE_NAME);
    std::uint32_t description_size = Size;
    std::uint32_t type = TN_NOTE_TYPE;
    char name[(sizeof(TN_NOTE_NAME) + 3) / 4 * 4] = TN_NOTE_NAME;
    char description[(Size + 3) / 4 * 4] = {};
};

constexpr void write_member(JsonText& json, std::string_view key, const auto& value) {
    json.string(key);
    json.raw(":");
    json.value(value);
}

template <class Default>
constexpr void write_default(JsonText& json, const Default& standard) {
    json.value(standard);
}
constexpr void write_default(JsonText& json, const EmptyTable& /*standard*/) {
    json.raw("{}");
}
template <class Element, std::size_t N>
constexpr void write_default(JsonText& json, const std::array<Element, N>& standard) {
    json.raw("[");
    for (std::size_t i = 0; i < N; ++i) {
        json.raw(i == 0 ? "" : ",");
        json.value(standard[i]);
    }
    json.raw("]");
}

template <auto Member, class Default>
constexpr void write_option(JsonText& json, const Option<Member, Default>& option, const Preset& preset) {
    json.raw("{");
    write_member(json, "name", option.name);
    json.raw(",");
    write_member(json, "type", option_type_name(option.type));
    if (!option.required) {
        json.raw(",\"default\":");
        if constexpr (std::same_as<Default, std::string_view>) {
            write_default(json, option.name == preset.option ? preset.value : option.standard);
        } else {
            write_default(json, option.standard);
        }
    }
    if (!option.limits.empty()) {
        json.raw(",");
        write_member(json, option.has_choices() ? "choices" : "range", option.limits);
    }
    if (option.live) {
        json.raw(",\"live\":true");
    }
    if constexpr (requires { OptionType<MemberType<Member>>::kPath; }) {
        json.raw(",");
        write_member(json, "path", OptionType<MemberType<Member>>::kPath);
    }
    json.raw(",");
    write_member(json, "help", option.help);
    json.raw("}");
}

constexpr void check_names(std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (names[i] == names[j]) {
                throw "two options of a component have the same name";
            }
        }
    }
}

// No generic lambda for each option: a component with twenty options would take the compiler seconds.
template <class T>
constexpr void write_options(JsonText& json, const Preset& preset) {
    json.raw("[");
    std::apply(
        [&](const auto&... option) {
            const std::array<std::string_view, sizeof...(option)> names = {option.name...};
            check_names(names);
            const bool is_preset =
                (preset.option.empty() || ... ||
                 (option.name == preset.option && option.type == TN_OPTION_STRING && !option.required));
            if (!is_preset) {
                throw "a component presets an option that is no text or that has no default";
            }
            std::size_t index = 0;
            ((json.raw(index++ == 0 ? "" : ","), write_option(json, option, preset)), ...);
        },
        options_of<T>());
    json.raw("]");
}

template <class Plugin>
constexpr std::size_t write_note(JsonText json) {
    json.raw("{\"abi\":[");
    json.value(std::int64_t{TN_ABI_MAJOR});
    json.raw(",");
    json.value(std::int64_t{kAbiMinorNeeded});
    json.raw("],");
    write_member(json, "name", std::string_view(Plugin::kName));
    json.raw(",");
    write_member(json, "version", std::string_view(Plugin::kVersion));
    json.raw(",");
    write_member(json, "sdk", std::string_view(kSdkVersion));
    json.raw(",\"components\":[");
    std::apply(
        [&](const auto&... component) {
            bool first = true;
            const auto write = [&]<class Adapter, class T>(const Component<Adapter, T>& one) {
                json.raw(first ? "{" : ",{");
                first = false;
                write_member(json, "id", std::string_view(one.id));
                json.raw(",");
                write_member(json, "kind", std::string_view(one.kind));
                json.raw(",");
                write_member(json, "help", std::string_view(one.help));
                if constexpr (requires { Adapter::kDevices; }) {
                    json.raw(",\"devices\":");
                    write_default(json, Adapter::kDevices);
                }
                json.raw(",\"options\":");
                write_options<T>(json, one.preset);
                json.raw("}");
            };
            (write(component), ...);
        },
        Plugin::kComponents);
    json.raw("]}");
    return json.size();
}

template <class Plugin>
consteval auto make_note() {
    Note<write_note<Plugin>(JsonText())> note;
    write_note<Plugin>(JsonText(note.description));
    return note;
}

}  // namespace TENON_SDK
}  // namespace tenon
