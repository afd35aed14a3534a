// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/note.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/json/read.hpp"
#include "plugins/plugin/elf.hpp"
#include "tenon/abi/types.h"

namespace tenon {
namespace {

// Of major 0, whose minors may break compatibility. Plugins of this and all later minors still run
// (tests/abi/released). Raising it requires an explanation in docs/abi.md.
constexpr unsigned kOldestMinor = 1;

constexpr const char* kNewerHost = "use a newer Tenon, or build the plugin with the SDK of this one";

Problem damaged(std::string_view path, const std::string& what) {
    return plugin_problem(std::string(path) + " has a damaged Tenon note: " + what);
}

std::string text_of(const Json& object, std::string_view key) {
    const Json* found = object.find(key);
    const std::string* text = found != nullptr ? found->get<std::string>() : nullptr;
    return text != nullptr ? *text : std::string();
}

bool is_true(const Json& object, std::string_view key) {
    const Json* found = object.find(key);
    const bool* flag = found != nullptr ? found->get<bool>() : nullptr;
    return flag != nullptr && *flag;
}

std::vector<std::string> split(std::string_view text, char mark) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(mark), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

template <class T>
std::optional<OptionValue> list_of(const JsonArray& array) {
    std::vector<T> list;
    for (const Json& element : array) {
        if (const T* value = element.get<T>()) {
            list.push_back(*value);
        } else if (const std::int64_t* integer = element.get<std::int64_t>()) {
            if constexpr (std::is_same_v<T, double>) {
                list.push_back(static_cast<double>(*integer));
            } else {
                return std::nullopt;
            }
        } else {
            return std::nullopt;
        }
    }
    return OptionValue(std::move(list));
}

std::optional<OptionValue> default_of(const Json& json, OptionType type) {
    if (const bool* value = json.get<bool>()) {
        return OptionValue(*value);
    }
    if (const std::int64_t* value = json.get<std::int64_t>()) {
        return OptionValue(*value);
    }
    if (const double* value = json.get<double>()) {
        return OptionValue(*value);
    }
    if (const std::string* value = json.get<std::string>()) {
        return OptionValue(*value);
    }
    if (const JsonObject* table = json.get<JsonObject>()) {
        return table->empty() ? std::optional<OptionValue>(OptionTable{}) : std::nullopt;
    }
    const JsonArray* array = json.get<JsonArray>();
    if (array == nullptr) {
        return std::nullopt;
    }
    switch (type) {
        case OptionType::kInts:
            return list_of<std::int64_t>(*array);
        case OptionType::kFloats:
            return list_of<double>(*array);
        case OptionType::kStrings:
            return list_of<std::string>(*array);
        default:
            return std::nullopt;
    }
}

Result<OptionSchema> read_option(const Json& json, std::string_view component, std::string_view path) {
    OptionSchema option;
    option.name = text_of(json, "name");
    const std::string subject = std::string(component) + "." + option.name;
    const std::optional<OptionType> type = option_type(text_of(json, "type"));
    if (option.name.empty() || !type) {
        return damaged(path, "an option of " + std::string(component) + " has no name, or an unknown type");
    }
    option.type = *type;
    option.range = text_of(json, "range");
    if (!option.range.empty() && !parse_range(option.range)) {
        return damaged(path, "the range of " + subject + ", '" + option.range + "', is not a range");
    }
    option.choices = split(text_of(json, "choices"), '|');
    option.help = text_of(json, "help");
    option.live = is_true(json, "live");
    const std::string path_form = text_of(json, "path");
    option.path = path_form == "file"           ? PathForm::kFile
                  : path_form == "file_or_name" ? PathForm::kFileOrName
                                                : PathForm::kNone;
    const Json* standard = json.find("default");
    if (standard != nullptr && !standard->is_null()) {
        const std::optional<OptionValue> value = default_of(*standard, option.type);
        if (!value) {
            return damaged(path, "the default of " + subject + " is not of its type");
        }
        Result<OptionValue> fitted = conform(option, *value, "the default of " + subject);
        if (!fitted) {
            return damaged(path, fitted.error().sentence);
        }
        option.standard = std::move(*fitted);
    }
    return option;
}

Result<ComponentNote> read_component(const Json& json, std::string_view path) {
    ComponentNote component{text_of(json, "id"), text_of(json, "kind"), text_of(json, "help"), {}};
    if (component.id.empty() || component.kind.empty()) {
        return damaged(path, "a component has no id or no kind");
    }
    component.example = is_true(json, "example");
    if (const Json* devices = json.find("devices"); devices != nullptr) {
        component.devices.clear();
        for (const Json& device : devices->get<JsonArray>() != nullptr ? *devices->get<JsonArray>() : JsonArray()) {
            const std::string* const name = device.get<std::string>();
            component.devices.push_back(name != nullptr ? *name : "");
        }
        if (component.devices.empty() || std::ranges::find(component.devices, "") != component.devices.end()) {
            return damaged(path, "the devices of " + component.id + " are not a list of names");
        }
    }
    const Json* options = json.find("options");
    if (options == nullptr) {
        return component;
    }
    if (options->get<JsonArray>() == nullptr) {
        return damaged(path, "the options of " + component.id + " are not a list");
    }
    component.options.reserve(options->get<JsonArray>()->size());
    for (const Json& element : *options->get<JsonArray>()) {
        OptionSchema option = TENON_TRY(read_option(element, component.id, path));
        const bool twice = std::any_of(component.options.begin(), component.options.end(),
                                       [&](const OptionSchema& other) { return other.name == option.name; });
        if (twice) {
            return damaged(path, "option '" + option.name + "' of " + component.id + " is listed twice");
        }
        component.options.push_back(std::move(option));
    }
    return component;
}

std::optional<std::pair<unsigned, unsigned>> read_abi(const Json& root) {
    const Json* abi = root.find("abi");
    const JsonArray* pair = abi != nullptr ? abi->get<JsonArray>() : nullptr;
    if (pair == nullptr || pair->size() < 2) {
        return std::nullopt;
    }
    const std::int64_t* major = (*pair)[0].get<std::int64_t>();
    const std::int64_t* minor = (*pair)[1].get<std::int64_t>();
    if (major == nullptr || minor == nullptr || *major < 0 || *minor < 0 || *major > UINT16_MAX ||
        *minor > UINT16_MAX) {
        return std::nullopt;
    }
    return std::pair{static_cast<unsigned>(*major), static_cast<unsigned>(*minor)};
}

}  // namespace

Status check_abi(AbiVersion needed, std::string_view path, AbiVersion host) {
    const auto text = [](AbiVersion version) {
        return std::to_string(version.major_version) + "." + std::to_string(version.minor_version);
    };
    const bool too_old = host.major_version == 0 && needed.minor_version < kOldestMinor;
    if (needed.major_version != host.major_version || too_old) {
        const bool newer = needed > host;
        return plugin_problem(std::string(path) + " was built for " + (newer ? "a newer" : "an older") +
                                  " plugin ABI: it needs " + text(needed) + ", but this host has " + text(host),
                              {}, newer ? kNewerHost : "build the plugin with the SDK of this Tenon");
    }
    if (needed.minor_version > host.minor_version) {
        return plugin_problem(std::string(path) + " needs plugin ABI " + text(needed) +
                                  " or a later minor, but this host has " + text(host),
                              {}, kNewerHost);
    }
    return {};
}

Result<Note> parse_note(std::string_view json, std::string_view path, NoteParts parts) {
    const Result<Json> root = parse_json(json, "its text", parts == NoteParts::kOutline ? "options" : "");
    if (!root) {
        return damaged(path, root.error().sentence);
    }
    const auto abi = read_abi(*root);
    if (!abi) {
        return damaged(path, "it does not say which ABI the plugin needs");
    }
    // Before anything else is read, because notes of other versions may have another format.
    TENON_TRY(check_abi({abi->first, abi->second}, path));
    Note note{abi->first, abi->second, text_of(*root, "name"), text_of(*root, "version"), text_of(*root, "sdk"), {}};
    const Json* components = root->find("components");
    if (note.name.empty() || components == nullptr || components->get<JsonArray>() == nullptr) {
        return damaged(path, "it has no plugin name or no list of components");
    }
    note.components.reserve(components->get<JsonArray>()->size());
    for (const Json& element : *components->get<JsonArray>()) {
        ComponentNote component = TENON_TRY(read_component(element, path));
        const bool twice = std::any_of(note.components.begin(), note.components.end(),
                                       [&](const ComponentNote& other) { return other.id == component.id; });
        if (twice) {
            return damaged(path, "component '" + component.id + "' is listed twice");
        }
        note.components.push_back(std::move(component));
    }
    return note;
}

Result<Note> read_note(const std::filesystem::path& file) {
    const std::string text = TENON_TRY(read_elf_note(file));
    return parse_note(text, file.string());
}

}  // namespace tenon
