// SPDX-License-Identifier: Apache-2.0
#include "commands/inspect/note_output.hpp"

#include <cstdint>
#include <ostream>
#include <variant>
#include <vector>

#include "base/error/listed.hpp"
#include "base/json/write.hpp"
#include "config/option/schema.hpp"
#include "plugins/plugin/note.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

void write(JsonWriter& json, const OptionSchema& option);
void write(JsonWriter& json, const ComponentNote& component);
void write(JsonWriter& json, bool value) {
    json.boolean(value);
}
void write(JsonWriter& json, std::int64_t value) {
    json.integer(value);
}
void write(JsonWriter& json, double value) {
    json.number(value);
}
void write(JsonWriter& json, const std::string& value) {
    json.text(value);
}

// The default of a table, which is always empty.
void write(JsonWriter& json, const OptionTable&) {
    json.begin_object().end_object();
}

template <class T>
void write(JsonWriter& json, const std::vector<T>& values) {
    json.begin_array();
    for (const T& value : values) {
        write(json, value);
    }
    json.end_array();
}

void write(JsonWriter& json, const OptionSchema& option) {
    json.begin_object().key("name").text(option.name).key("type").text(name_of(option.type)).key("default");
    if (option.standard) {
        std::visit([&json](const auto& value) { write(json, value); }, *option.standard);
    } else {
        json.null();
    }
    json.key("range").text(option.range).key("choices");
    write(json, option.choices);
    json.key("live").boolean(option.live).key("help").text(option.help).end_object();
}

void write(JsonWriter& json, const ComponentNote& component) {
    json.begin_object().key("component").text(component.id).key("kind").text(component.kind);
    json.key("help").text(component.help).key("devices");
    write(json, component.devices);
    json.key("options");
    write(json, component.options);
    json.end_object();
}

std::string allowed(const OptionSchema& option) {
    std::string text = option.range.empty() ? "" : "in " + option.range;
    for (const std::string& choice : option.choices) {
        text += (text.empty() ? "" : " | ") + choice;
    }
    return text;
}

void print_options(std::ostream& out, const std::vector<OptionSchema>& options) {
    std::vector<Row> rows;
    for (const OptionSchema& option : options) {
        const std::string standard = option.standard ? "= " + to_toml(*option.standard) : "(must be given)";
        const std::string help = option.help + (option.live ? " [live]" : "");
        rows.push_back({option.name, std::string(name_of(option.type)), standard, allowed(option), help});
    }
    print_rows(out, rows, "      ");
}

}  // namespace

void print_note(std::ostream& out, const ShownPlugin& plugin) {
    const Note& note = plugin.note;
    out << note.name << ' ' << note.version << "\n  file     " << plugin.path.string() << "\n  sha256   "
        << plugin.sha256 << "\n  ABI      " << note.abi_major << '.' << note.abi_minor_needed << " or a later minor\n";
    if (!note.sdk.empty()) {
        out << "  SDK      " << note.sdk << '\n';
    }
    for (const ComponentNote& component : note.components) {
        out << "\n  " << note.name << '/' << component.id << "  (" << component.kind << ')'
            << (component.help.empty() ? "" : "  " + component.help) << '\n';
        if (component.devices != std::vector<std::string>{"cpu"}) {
            out << "      works on: " << listed(component.devices) << '\n';
        }
        print_options(out, component.options);
    }
}

void print_note_as_json(std::ostream& out, const ShownPlugin& plugin) {
    std::string line;
    JsonWriter json(line);
    json.begin_object().key("plugin").text(plugin.note.name).key("version").text(plugin.note.version);
    json.key("path").text(plugin.path.string()).key("sha256").text(plugin.sha256);
    json.key("abi").begin_array().integer(plugin.note.abi_major).integer(plugin.note.abi_minor_needed).end_array();
    json.key("sdk").text(plugin.note.sdk).key("components");
    write(json, plugin.note.components);
    json.end_object();
    out << line << '\n';
}

}  // namespace tenon::host
