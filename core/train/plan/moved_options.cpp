// SPDX-License-Identifier: Apache-2.0
#include "train/plan/moved_options.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/error/listed.hpp"
#include "config/manifest/tables.hpp"
#include "train/plan/plans.hpp"
#include "train/plan/schedules.hpp"

namespace tenon {
namespace {

std::string_view last_of(std::string_view option) {
    return option.substr(option.rfind('.') + 1);
}

std::string_view path_before(std::string_view option) {
    const std::size_t dot = option.rfind('.');
    return option.substr(0, dot == std::string_view::npos ? 0 : dot);
}

Problem no_move(const MovedOption& option, const std::string& why) {
    return input_problem(option.by + " moves " + option.name + ", " + why, option.place);
}

void refuse_unknown(const MovedOption& option, const std::vector<std::string>& known, Problems& problems) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    problems.push_back(no_move(option, "which this run does not have" + did_you_mean(option.name, names)));
    problems.back().help = known.empty() ? "" : "a hook can move " + listed(known);
}

// Whether a schedule or another hook already changes the option.
bool is_taken(const LivePlan& live, const Manifest& manifest, const MovedOption& option, Problems& problems) {
    if (const ScheduleTable* const schedule = schedule_of(manifest, option.name)) {
        problems.push_back(no_move(option, "which [schedule] changes, too; remove one of them"));
        problems.back().also.push_back(schedule->place);
        return true;
    }
    const auto other = std::ranges::find(live.moved, option.name, &MovedOption::name);
    if (other != live.moved.end()) {
        problems.push_back(no_move(option, "which " + other->by + " moves, too; remove one of them"));
        problems.back().also.push_back(other->place);
        return true;
    }
    return false;
}

// A key of [optimiser], [target] or [parameter_noise] that can be live; null if there is none, and `known` then has the
// keys of that table.
const OptionSchema* host_key(std::string_view option, std::vector<std::string>& known) {
    const std::string_view table = path_before(option);
    for (const OptionSchema& key : table_schema(table.starts_with("optimiser") ? "optimiser" : table).keys) {
        if (key.live && key.name == last_of(option)) {
            return &key;
        }
        if (key.live) {
            known.push_back(std::string(table) + "." + key.name);
        }
    }
    return nullptr;
}

void push(LivePlan& live, MovedOption option, const OptionSchema& schema) {
    option.range = schema.range;
    option.limits = parse_range(schema.range);
    live.moved.push_back(std::move(option));
}

std::optional<double> real_of(const OptionValue& value) {
    const auto* const real = std::get_if<double>(&value);
    return real != nullptr ? std::optional(*real) : std::nullopt;
}

}  // namespace

const Part* find_part_at(const Parts& parts, std::string_view path) {
    const Part* found = nullptr;
    each_part(parts, [&](const Part& part) { found = part.table->path == path ? &part : found; });
    return found;
}

void add_moved(LivePlan& live, const Manifest& manifest, const Parts& parts, MovedOption option, Problems& problems) {
    if (is_taken(live, manifest, option, problems)) {
        return;
    }
    if (is_of_host(option.name)) {
        std::vector<std::string> known;
        const OptionSchema* const key = host_key(option.name, known);
        if (key == nullptr) {
            refuse_unknown(option, known, problems);
            return;
        }
        push(live, std::move(option), *key);
        return;
    }
    const Part* const part = find_part_at(parts, path_before(option.name));
    if (part == nullptr || part->info.note == nullptr) {
        refuse_unknown(option, live.movable, problems);
        return;
    }
    const auto schema = std::ranges::find(part->schema(), last_of(option.name), &OptionSchema::name);
    if (schema == part->schema().end()) {
        refuse_unknown(option, live.movable, problems);
        return;
    }
    const OptionValue& own = part->values[static_cast<std::size_t>(schema - part->schema().begin())];
    if (!schema->live || std::ranges::find(live.movable, option.name) == live.movable.end()) {
        problems.push_back(no_move(option, "an option of " + part->info.name + " that cannot change during a run"));
        return;
    }
    live.add(option.name, real_of(own).value_or(0));
    push(live, std::move(option), *schema);
}

void complete_moved(LivePlan& live, Problems& problems) {
    for (MovedOption& option : live.moved) {
        const std::int64_t index = live.find(option.name);
        if (index < 0) {
            refuse_unknown(option, live.names, problems);
            continue;
        }
        option.index = static_cast<std::uint32_t>(index);
    }
}

std::string fault_of_value(const MovedOption& option, double value) {
    if (!std::isfinite(value)) {
        return "which is not a finite number";
    }
    return option.limits && !option.limits->contains(value) ? "outside " + option.range : "";
}

}  // namespace tenon
