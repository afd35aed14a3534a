// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/options.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/data/mapped.hpp"
#include "config/manifest/tables.hpp"
#include "config/manifest/value.hpp"

namespace tenon {

namespace {

OptionValue zero_of(OptionType type) {
    const OptionValue zeros[] = {false,
                                 std::int64_t{0},
                                 0.0,
                                 std::string(),
                                 std::vector<std::int64_t>(),
                                 std::vector<double>(),
                                 std::vector<std::string>(),
                                 OptionTable()};
    return zeros[static_cast<std::size_t>(type)];
}

void report_unknown(const ComponentTable& table, std::span<const OptionSchema> schemas, Problems& problems) {
    auto known = mapped<std::string_view>(schemas, &OptionSchema::name);
    for (const OptionSchema& key : table_schema(table.schema).keys) {
        known.push_back(key.name);
    }
    if (table.schema == "env" || table.schema == "eval.env") {
        known.push_back("tasks");
        known.push_back("wrappers");
        known.push_back("transforms");
    } else if (table.schema == "buffer") {
        known.push_back("transforms");
    }
    for (const GivenOption& given : table.options) {
        if (std::find(known.begin(), known.end(), given.name) == known.end()) {
            Problem problem = unknown_key_problem(table.path, given.name, given.value, known);
            if (given.name == "isolation" && table.schema.ends_with("wrappers")) {
                problem = input_problem(table.path + ".isolation cannot be given: wrappers run in the host's process",
                                        std::move(problem.place),
                                        "isolation = \"process\" in [env] runs the env itself in a separate process");
            } else if (given.name == "isolation" && table.schema == "buffer.transforms") {
                problem = input_problem(
                    table.path + ".isolation cannot be given: transforms of sampled rows run in the host's process",
                    std::move(problem.place));
            } else if (schemas.empty() && !table.ref.plugin.empty()) {
                problem.help = table.ref.plugin + " has no options";
            }
            problems.push_back(std::move(problem));
        }
    }
}

}  // namespace

std::vector<OptionValue> resolve_options(const ComponentTable& table, std::span<const OptionSchema> schemas,
                                         Problems& problems) {
    report_unknown(table, schemas, problems);
    std::vector<OptionValue> out;
    for (const OptionSchema& schema : schemas) {
        const std::string path = table.path + "." + schema.name;
        out.push_back(schema.standard.value_or(zero_of(schema.type)));
        const auto given = std::find_if(table.options.begin(), table.options.end(),
                                        [&](const GivenOption& option) { return option.name == schema.name; });
        if (given == table.options.end()) {
            if (!schema.standard) {
                problems.push_back(missing_problem(schema, path, table.place));
            } else {
                make_absolute(schema, table.place, out.back());
            }
            continue;
        }
        Result<OptionValue> value = read_value(schema, given->value, path);
        if (is_done(value, problems)) {
            out.back() = std::move(*value);
            make_absolute(schema, given->value.place, out.back());
        }
    }
    return out;
}

std::string absolute_path(const std::string& path, const Place& place) {
    // The place of a --set is the option's name, "--set #1", so its folder is the working directory.
    const std::filesystem::path folder = std::filesystem::path(place.file).parent_path();
    std::error_code failure;  // an absolute path needs the working directory, which may not exist any more
    const std::filesystem::path absolute = std::filesystem::absolute(folder / path, failure);
    return (failure ? folder / path : absolute).lexically_normal().string();
}

void make_absolute(const OptionSchema& schema, const Place& place, OptionValue& value) {
    auto* const text = std::get_if<std::string>(&value);
    const bool is_path = schema.path == PathForm::kFile ||
                         (schema.path == PathForm::kFileOrName && text && text->find('/') != std::string::npos);
    if (text != nullptr && is_path && !text->empty()) {
        *text = absolute_path(*text, place);
    }
}

}  // namespace tenon
