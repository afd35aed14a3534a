// SPDX-License-Identifier: Apache-2.0
// Helpers with which tables_*.cpp define the content of tables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/manifest/tables.hpp"

namespace tenon::tables {

inline constexpr const char* kFrames = "[0,1e15]";

using Keys = std::vector<OptionSchema>;

inline OptionSchema key(std::string name, OptionType type, OptionValue standard, std::string range, std::string help) {
    return {.name = std::move(name),
            .type = type,
            .standard = std::move(standard),
            .range = std::move(range),
            .choices = {},
            .help = std::move(help)};
}

inline OptionSchema flag(std::string name, bool standard, std::string help) {
    return key(std::move(name), OptionType::kBool, standard, {}, std::move(help));
}

inline OptionSchema whole(std::string name, std::int64_t standard, std::string range, std::string help) {
    return key(std::move(name), OptionType::kInt, standard, std::move(range), std::move(help));
}

inline OptionSchema real(std::string name, double standard, std::string range, std::string help) {
    return key(std::move(name), OptionType::kFloat, standard, std::move(range), std::move(help));
}

inline OptionSchema text(std::string name, std::string standard, std::string help) {
    return key(std::move(name), OptionType::kString, std::move(standard), {}, std::move(help));
}

inline OptionSchema texts(std::string name, std::string help) {
    return key(std::move(name), OptionType::kStrings, std::vector<std::string>{}, {}, std::move(help));
}

inline OptionSchema choice(std::string name, std::vector<std::string> choices, std::string standard, std::string help) {
    OptionSchema out = text(std::move(name), std::move(standard), std::move(help));
    out.choices = std::move(choices);
    return out;
}

inline OptionSchema live(OptionSchema schema) {
    schema.live = true;
    return schema;
}

inline OptionSchema required(OptionSchema schema) {
    schema.standard.reset();
    return schema;
}

inline OptionSchema optional(OptionSchema schema) {
    schema.standard.reset();
    schema.optional = true;
    return schema;
}

inline OptionSchema or_bytes(OptionSchema schema) {
    schema.or_bytes = true;
    return schema;
}

inline OptionSchema plugin() {
    return required(text("plugin", {}, "The component, as \"library/component\"."));
}

// The key that says in which process a component's code runs.
inline OptionSchema isolation() {
    return optional(
        choice("isolation", {"inproc", "process"}, {},
               "`process` runs it in separate processes, as `[isolation]` says; the default is `plugins.isolation`."));
}

inline OptionSchema group(std::string help) {
    return text("group", "", std::move(help));
}

// The tables by topic, each in the order of the reference page.
std::vector<TableSchema> of_run();       // tables_run.cpp
std::vector<TableSchema> of_acting();    // tables_acting.cpp
std::vector<TableSchema> of_learning();  // tables_learning.cpp
std::vector<TableSchema> of_records();   // tables_run.cpp

}  // namespace tenon::tables
