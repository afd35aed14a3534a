// SPDX-License-Identifier: Apache-2.0
// Warnings about values that a schedule replaces.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/validate/advices.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/parse.hpp"
#include "config/manifest/tables.hpp"
#include "run/start/setup.hpp"

namespace tenon {
namespace {

std::optional<std::string> default_in(const std::vector<OptionSchema>& keys, std::string_view name) {
    const auto found = std::ranges::find(keys, name, &OptionSchema::name);
    return found == keys.end() || !found->standard ? std::nullopt : std::optional(to_toml(*found->standard));
}

// The default of "optimiser.lr" or "objective.gamma", as TOML. Nothing: it has none.
std::optional<std::string> default_of(const Wiring& w, const std::string& option) {
    const std::size_t dot = option.rfind('.');
    const std::string table = option.substr(0, dot);
    const std::string name = option.substr(dot + 1);
    std::optional<std::string> out;
    each_part(w.parts,
              [&](const Part& part) { out = part.table->path == table ? default_in(part.schema(), name) : out; });
    for (const TableSchema& schema : manifest_tables()) {
        const bool is_stage = schema.name == "optimiser.STAGE" && table.starts_with("optimiser.");
        out = !out && (schema.name == table || is_stage) ? default_in(schema.keys, name) : out;
    }
    return out;
}

}  // namespace

// A schedule without `from` begins with the option's value. A value that equals the default was not chosen by a person:
// a resolved manifest has all defaults.
void advise_scheduled_value(const Wiring& w, Problems& problems) {
    if (w.manifest.schedules.empty()) {
        return;
    }
    const Result<TomlTable> resolved = parse_toml(resolved_manifest(w), "");
    const auto values = resolved ? flatten({.root = *resolved, .place = {}}) : std::map<std::string, std::string>();
    for (const ScheduleTable& schedule : w.manifest.schedules) {
        const auto value = values.find(schedule.option);
        if (!schedule.pieces.front().from || !w.manifest.given.contains(schedule.option) || value == values.end() ||
            value->second == default_of(w, schedule.option)) {
            continue;
        }
        problems.push_back(
            input_problem(schedule.option + " = " + value->second +
                              " has no effect: [schedule] gives this option its values from the start",
                          place_of(w.manifest, schedule.option),
                          "remove one of them; the schedule's first value is in schedule.\"" + schedule.option + "\""));
    }
}

}  // namespace tenon
