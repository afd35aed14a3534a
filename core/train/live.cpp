// SPDX-License-Identifier: Apache-2.0
#include "train/live.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tenon {
namespace {

std::optional<double> number_of(const OptionValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? 1.0 : 0.0;
    }
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return static_cast<double>(*integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return *real;
    }
    return std::nullopt;
}

const ScheduleTable* schedule_of(const Manifest& manifest, std::string_view option) {
    const auto found = std::find_if(manifest.schedules.begin(), manifest.schedules.end(),
                                    [&](const ScheduleTable& schedule) { return schedule.option == option; });
    return found == manifest.schedules.end() ? nullptr : &*found;
}

Schedule make_schedule(const ScheduleTable& table, const Manifest& manifest, std::uint32_t index) {
    const double total = static_cast<double>(manifest.run.total_frames);
    Schedule out{.index = index, .linear = table.kind == "linear", .from = table.from, .to = table.to.value_or(table.from), .length = total, .by_updates = false};
    if (table.frames) {
        out.length = static_cast<double>(*table.frames);
    } else if (table.updates) {
        out.by_updates = true;
        out.length = static_cast<double>(*table.updates);
    } else if (table.fraction) {
        out.length = *table.fraction * total;
    }
    return out;
}

void add_scheduled(LiveValues& live, const Manifest& manifest, const std::string& name, double value) {
    const std::uint32_t index = live.add(name, value);
    if (const ScheduleTable* table = schedule_of(manifest, name)) {
        live.schedules.push_back(make_schedule(*table, manifest, index));
        live.values[index] = value_at(live.schedules.back(), 0);
    }
}

void add_part(LiveValues& live, const Manifest& manifest, const Part& part, Problems& problems) {
    if (part.info.note == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < part.schema().size(); ++i) {
        const OptionSchema& option = part.schema()[i];
        const std::string name = part.table->path + "." + option.name;
        const ScheduleTable* table = schedule_of(manifest, name);
        if (option.live) {
            live.movable.push_back(name);
        }
        if (table == nullptr) {
            continue;
        }
        if (!option.live) {
            problems.push_back(input_problem("schedule." + name + ": the option " + option.name + " of " + part.info.name +
                                                 " cannot change while a run goes on",
                                             table->place));
            continue;
        }
        const auto range = parse_range(option.range);
        for (const double end : {table->from, table->to.value_or(table->from)}) {
            if (range && !range->contains(end)) {
                problems.push_back(input_problem("schedule." + name + " goes to " + to_toml(end) + ", outside " + option.range, table->place));
            }
        }
        add_scheduled(live, manifest, name, number_of(part.values[i]).value_or(0));
    }
}

}  // namespace

std::uint32_t LiveValues::add(std::string name, double value) {
    if (const std::int64_t known = find(name); known >= 0) {
        return static_cast<std::uint32_t>(known);
    }
    names.push_back(std::move(name));
    values.push_back(value);
    return static_cast<std::uint32_t>(values.size() - 1);
}

std::int64_t LiveValues::find(std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : found - names.begin();
}

LiveValues make_live(const Manifest& manifest, const Parts& parts, Problems& problems) {
    LiveValues live;
    for (const auto* list : {&parts.policies, &parts.objectives}) {
        for (const Part& part : *list) {
            add_part(live, manifest, part, problems);
        }
    }
    if (parts.exploration) {
        add_part(live, manifest, *parts.exploration, problems);
    }
    return live;
}

std::vector<graph::OptionBinding> bind_options(const Part& part, const LiveValues& live) {
    std::vector<graph::OptionBinding> out;
    for (std::size_t i = 0; i < part.schema().size(); ++i) {
        if (const auto number = number_of(part.values[i])) {
            const std::string& name = part.schema()[i].name;
            out.push_back({name, *number, live.find(part.table->path + "." + name)});
        }
    }
    return out;
}

OptimiserPlan add_optimiser(LiveValues& live, const Manifest& manifest, std::string_view stage) {
    const OptimiserTable* table = &manifest.optimiser;
    std::string path = "optimiser.";
    for (const OptimiserStage& own : manifest.optimiser_stages) {
        if (own.name == stage) {
            table = &own.table;
            path += own.name + ".";
        }
    }
    const auto add = [&](const char* key, double value) {
        const std::string name = path + key;
        if (live.find(name) < 0) {
            add_scheduled(live, manifest, name, value);
        }
        return static_cast<std::uint32_t>(live.find(name));
    };
    return OptimiserPlan{.lr = add("lr", table->lr), .beta1 = add("beta1", table->beta1), .beta2 = add("beta2", table->beta2),
                         .eps = add("eps", table->eps), .clip_norm = manifest.train.clip_norm.value_or(0)};
}

TargetPlan add_target(LiveValues& live, const Manifest& manifest) {
    if (live.find("target.tau") < 0) {
        add_scheduled(live, manifest, "target.tau", manifest.target.tau);
    }
    const bool soft = manifest.target.kind == "soft";
    return TargetPlan{.soft = soft, .tau = static_cast<std::uint32_t>(live.find("target.tau")), .every = manifest.target.every.value_or(soft ? 1 : 1000)};
}

void check_schedules(const LiveValues& live, const Manifest& manifest, Problems& problems) {
    std::vector<std::string_view> names(live.names.begin(), live.names.end());
    names.insert(names.end(), live.movable.begin(), live.movable.end());
    for (const ScheduleTable& schedule : manifest.schedules) {
        const bool said = std::any_of(problems.begin(), problems.end(), [&](const Problem& p) { return p.place.line == schedule.place.line && p.place.file == schedule.place.file; });
        if (live.find(schedule.option) < 0 && !said) {
            problems.push_back(input_problem("schedule." + schedule.option + ": this run has no such option to move" + did_you_mean(schedule.option, names),
                                             schedule.place));
        }
    }
}

}  // namespace tenon
