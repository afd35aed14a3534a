// SPDX-License-Identifier: Apache-2.0
// Mutations of manifests by line and table.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "config/manifest/tables.hpp"
#include "config/option/toml_text.hpp"
#include "fuzz/mutation.hpp"
#include "plugins/plugin/registry.hpp"

namespace tenon::fuzz {
namespace {

using Lines = std::vector<std::string>;

struct Component {
    std::string name;
    const ComponentNote* note = nullptr;
};

// What the shipped plugins have, without those that start programs or load libraries of others.
struct Dictionary {
    Registry registry = Registry::scan(search_folders({}));
    std::vector<Component> components;

    Dictionary() {
        for (const auto& file : registry.files()) {
            if (file->problem || std::ranges::find(kForeign, file->library) != kForeign.end()) {
                continue;
            }
            for (const ComponentNote& note : file->note->components) {
                components.push_back({file->library + "/" + note.id, &note});
            }
        }
    }

    [[nodiscard]] const ComponentNote* find(std::string_view name) const {
        const auto found = std::ranges::find(components, name, &Component::name);
        return found == components.end() ? nullptr : found->note;
    }
};

const Dictionary& dictionary() {
    static const Dictionary kDictionary;
    return kDictionary;
}

template <class List>
const auto& one_of(const List& list, Random& random) {
    return list[random() % list.size()];
}

std::string int_text(Random& random) {
    constexpr std::array<std::int64_t, 26> kInts = {0,
                                                    1,
                                                    -1,
                                                    2,
                                                    3,
                                                    4,
                                                    7,
                                                    16,
                                                    64,
                                                    65,
                                                    255,
                                                    256,
                                                    1000,
                                                    65'536,
                                                    1'000'000,
                                                    100'000'000,
                                                    1'000'000'000,
                                                    std::numeric_limits<std::int32_t>::max(),
                                                    std::int64_t{1} << 31,
                                                    std::int64_t{1} << 32,
                                                    std::int64_t{1} << 40,
                                                    std::int64_t{1} << 53,
                                                    std::int64_t{1} << 62,
                                                    std::numeric_limits<std::int64_t>::max(),
                                                    std::numeric_limits<std::int64_t>::min(),
                                                    -1000};
    return std::to_string(one_of(kInts, random));
}

std::string float_text(Random& random) {
    constexpr std::array<std::string_view, 14> kFloats = {
        "0.0",    "-0.0",  "1.0",  "-1.0", "0.5",  "0.99", "1e-300",
        "5e-324", "1e300", "1e38", "inf",  "-inf", "nan",  "1.7976931348623157e308"};
    return random() % 4 == 0 ? int_text(random) : std::string(one_of(kFloats, random));
}

// The texts that name something are of the shipped manifests.
std::string string_text(const std::vector<std::string>& choices, Random& random) {
    constexpr std::array<std::string_view, 24> kTexts = {"",
                                                         " ",
                                                         "a/",
                                                         "a/b/c",
                                                         "x",
                                                         "observation",
                                                         "action",
                                                         "next.reward",
                                                         "reward",
                                                         "actor",
                                                         "critic",
                                                         "qvalue",
                                                         "value",
                                                         "observation.position",
                                                         "terminated",
                                                         "\\u0001\\u001b[31m",
                                                         "1 GB",
                                                         "0 B",
                                                         "999999 TB",
                                                         "relu",
                                                         "actor.hidden",
                                                         "\\u00e9\\U0001F600",
                                                         "optimiser.lr",
                                                         "objective.gamma"};
    const bool longs = random() % 32 == 0;
    const bool chooses = !choices.empty() && random() % 4 != 0;
    return "\"" +
           (longs     ? std::string(3000, 'y')
            : chooses ? one_of(choices, random)
                      : std::string(one_of(kTexts, random))) +
           "\"";
}

std::string list_text(const OptionSchema& schema, Random& random);

std::string value_text(const OptionSchema& schema, Random& random) {
    switch (schema.type) {
        case OptionType::kBool:
            return random() % 2 == 0 ? "true" : "false";
        case OptionType::kInt:
            return schema.or_bytes && random() % 4 == 0 ? string_text({}, random) : int_text(random);
        case OptionType::kFloat:
            return float_text(random);
        case OptionType::kString:
            return string_text(schema.choices, random);
        case OptionType::kTable: {
            constexpr std::array<std::string_view, 5> kTables = {
                "{}", "{ a = 1 }", "{ kind = \"linear\", from = 1.0, to = 0.1, frames = 100 }",
                "{ of = \"actor.reward\" }", "{ a = { b = [1, { c = [] }] } }"};
            return std::string(one_of(kTables, random));
        }
        default:
            return list_text(schema, random);
    }
}

std::string list_text(const OptionSchema& schema, Random& random) {
    OptionSchema element = schema;
    element.type = element_of(schema.type);
    std::string out;
    const std::uint64_t most = random() % 64 == 0 ? 300 : 4;
    for (std::uint64_t i = random() % most; i > 0; --i) {
        out += (out.empty() ? "" : ", ") + value_text(element, random);
    }
    return "[" + out + "]";
}

std::string any_text(Random& random) {
    OptionSchema schema;
    schema.type = static_cast<OptionType>(random() % 8);
    return value_text(schema, random);
}

Lines lines_of(std::string_view text) {
    Lines out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

bool is_heading(std::string_view line) {
    return line.starts_with('[');
}

std::string_view key_of(std::string_view line) {
    const std::size_t equals = line.find(" = ");
    return is_heading(line) || line.starts_with('#') || equals == line.npos ? "" : line.substr(0, equals);
}

// "[policy.actor]" is of the table "policy.NAME"; null if there is none.
const TableSchema* schema_of(std::string_view heading) {
    const auto first = std::min(heading.find_first_not_of('['), heading.size());
    const std::string_view path = heading.substr(first, heading.find(']') - std::min(first, heading.find(']')));
    const auto fits = [&](const TableSchema& schema) {
        const std::size_t dot = schema.name.find(".NAME");
        const std::size_t end = dot == std::string::npos ? dot : dot + 1;
        return dot == std::string::npos ? schema.name == path
                                        : path.starts_with(schema.name.substr(0, end)) &&
                                              path.substr(end).find('.') == std::string_view::npos;
    };
    const auto tables = manifest_tables();
    const auto found = std::ranges::find_if(tables, fits);
    return found == tables.end() ? nullptr : &*found;
}

// A table of a manifest: its heading and what follows up to the next.
struct Section {
    std::size_t first = 0;
    std::size_t end = 0;
    const TableSchema* table = nullptr;
    const ComponentNote* component = nullptr;
};

Section section_at(const Lines& lines, std::size_t at) {
    Section out{.first = at, .end = at + 1};
    while (out.first > 0 && !is_heading(lines[out.first])) {
        --out.first;
    }
    while (out.end < lines.size() && !is_heading(lines[out.end])) {
        ++out.end;
    }
    out.table = schema_of(lines[out.first]);
    for (std::size_t i = out.first; i < out.end; ++i) {
        if (key_of(lines[i]) == "plugin") {
            const std::size_t quote = std::min(lines[i].find('"') + 1, lines[i].size());
            out.component =
                dictionary().find(std::string_view(lines[i]).substr(quote, lines[i].find('"', quote) - quote));
        }
    }
    return out;
}

// Of the section's table or component; null if it has none.
const OptionSchema* some_key(const Section& section, Random& random) {
    const bool has_options = section.component != nullptr && !section.component->options.empty();
    if (has_options && random() % 2 == 0) {
        return &one_of(section.component->options, random);
    }
    return section.table == nullptr || section.table->keys.empty() ? nullptr : &one_of(section.table->keys, random);
}

const OptionSchema* known_key(const Section& section, std::string_view key) {
    const auto find = [&](const std::vector<OptionSchema>& schemas) {
        const auto found = std::ranges::find(schemas, key, &OptionSchema::name);
        return found == schemas.end() ? nullptr : &*found;
    };
    const OptionSchema* const own = section.table == nullptr ? nullptr : find(section.table->keys);
    return own != nullptr || section.component == nullptr ? own : find(section.component->options);
}

// Mostly of the same kind.
std::string component_text(const ComponentNote* like, Random& random) {
    const Component* out = &one_of(dictionary().components, random);
    for (int i = 0; i < 64 && like != nullptr && out->note->kind != like->kind && random() % 16 != 0; ++i) {
        out = &one_of(dictionary().components, random);
    }
    return "\"" + out->name + "\"";
}

std::string new_value(const Section& section, std::string_view key, Random& random) {
    if (random() % 12 == 0) {
        return any_text(random);
    }
    if (key == "plugin" && random() % 8 != 0) {
        return component_text(section.component, random);
    }
    const OptionSchema* const schema = known_key(section, key);
    return schema == nullptr ? any_text(random) : value_text(*schema, random);
}

void change_value(Lines& lines, std::size_t at, Random& random) {
    if (const std::string key(key_of(lines[at])); !key.empty()) {
        lines[at] = key + " = " + new_value(section_at(lines, at), key, random);
    }
}

void add_key(Lines& lines, std::size_t at, Random& random) {
    const Section section = section_at(lines, at);
    if (const OptionSchema* const key = some_key(section, random)) {
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(section.first + 1),
                     key->name + " = " + new_value(section, key->name, random));
    }
}

void add_table(Lines& lines, Random& random) {
    const TableSchema& table = one_of(manifest_tables(), random);
    std::string heading = table.heading;
    if (const std::size_t name = heading.find("NAME"); name != std::string::npos) {
        constexpr std::array<std::string_view, 5> kNames = {"actor", "critic", "qvalue", "x", "0"};
        heading.replace(name, 4, one_of(kNames, random));
    }
    lines.push_back(heading.substr(0, heading.find_last_of(']') + 1));
    const std::size_t at = lines.size() - 1;
    if (table.component) {
        lines.push_back("plugin = " + component_text(nullptr, random));
    }
    for (std::uint64_t i = random() % 4; i > 0; --i) {
        add_key(lines, at, random);
    }
}

void change(Lines& lines, const Lines& other, Random& random) {
    const std::size_t at = random() % lines.size();
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    const Section section = section_at(lines, at);
    switch (random() % 12) {
        case 0:
            lines.erase(place);
            break;
        case 1:
            lines.insert(place, std::string(*place));
            break;
        case 2:
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(section.first),
                        lines.begin() + static_cast<std::ptrdiff_t>(section.end));
            break;
        case 3: {  // a table of another manifest
            const Section taken = section_at(other, random() % other.size());
            lines.insert(lines.end(), other.begin() + static_cast<std::ptrdiff_t>(taken.first),
                         other.begin() + static_cast<std::ptrdiff_t>(taken.end));
            break;
        }
        case 4:
            lines.insert(place, one_of(other, random));
            break;
        case 5:
            add_table(lines, random);
            break;
        case 6:
        case 7:
        case 8:
            add_key(lines, at, random);
            break;
        default:
            change_value(lines, at, random);
            break;
    }
}

}  // namespace

void mutate_manifest(std::string& text, const std::string& other, Random& random) {
    Lines lines = lines_of(text);
    Lines others = lines_of(other);
    lines.resize(std::max<std::size_t>(lines.size(), 1));
    others.resize(std::max<std::size_t>(others.size(), 1));
    change(lines, others, random);
    text.clear();
    for (const std::string& line : lines) {
        text += line + "\n";
    }
}

}  // namespace tenon::fuzz
