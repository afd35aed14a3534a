// SPDX-License-Identifier: Apache-2.0
#include "train/live.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "manifest/read_schedules.hpp"

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
    Schedule out{.index = index,
                 .linear = table.kind == "linear",
                 .from = table.from,
                 .to = table.to.value_or(table.from),
                 .length = total,
                 .by_updates = false};
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

Problem no_such_option(const ScheduleTable& schedule, const std::vector<std::string>& movable) {
    const std::vector<std::string_view> names(movable.begin(), movable.end());
    const std::string suggestion = did_you_mean(schedule.option, names);
    std::string list;
    for (std::size_t i = 0; suggestion.empty() && i < movable.size(); ++i) {
        list += (i == 0 ? "a schedule may move " : ", ") + movable[i];
    }
    return input_problem("schedule." + schedule.option + ": this run has no such option to move" + suggestion,
                         schedule.place, std::move(list));
}

// Says why nothing moves by the schedule: there is no such option, or none that graphs read.
void refuse_schedule(const ScheduleTable& schedule, const LiveValues& live, const Parts& parts, Problems& problems) {
    const std::size_t dot = schedule.option.rfind('.');
    const std::string table = schedule.option.substr(0, dot);
    const std::string name = schedule.option.substr(dot + 1);
    std::vector<const Part*> all{&parts.env};
    for (const auto* list : {&parts.transforms, &parts.policies, &parts.objectives}) {
        std::transform(list->begin(), list->end(), std::back_inserter(all), [](const Part& part) { return &part; });
    }
    for (const auto* one : {&parts.exploration, &parts.buffer}) {
        if (one->has_value()) {
            all.push_back(&**one);
        }
    }
    for (const Part* part : all) {
        if (part->table->path != table) {
            continue;
        }
        if (part->info.note == nullptr) {
            return;  // that it was not found has been said
        }
        for (const OptionSchema& option : part->schema()) {
            if (option.name == name) {
                problems.push_back(input_problem("schedule." + schedule.option + ": the option " + name + " of " +
                                                     part->info.name + " cannot change while a run goes on",
                                                 schedule.place));
                return;
            }
        }
    }
    problems.push_back(no_such_option(schedule, live.movable));
}

// The optimisers' and targets' own keys: which of them there are is known when the stages are.
bool is_of_host(const ScheduleTable& schedule) {
    return schedule.option.starts_with("optimiser.") || schedule.option.starts_with("target.");
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
        if (table == nullptr || !option.live) {
            continue;
        }
        check_schedule_range(*table, option, problems);
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
    for (const ScheduleTable& schedule : manifest.schedules) {
        if (live.find(schedule.option) < 0 && !is_of_host(schedule)) {
            refuse_schedule(schedule, live, parts, problems);
        }
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
    return OptimiserPlan{.lr = add("lr", table->lr),
                         .beta1 = add("beta1", table->beta1),
                         .beta2 = add("beta2", table->beta2),
                         .eps = add("eps", table->eps),
                         .clip_norm = manifest.train.clip_norm.value_or(0)};
}

TargetPlan add_target(LiveValues& live, const Manifest& manifest) {
    if (live.find("target.tau") < 0) {
        add_scheduled(live, manifest, "target.tau", manifest.target.tau);
    }
    const bool soft = manifest.target.kind == "soft";
    return TargetPlan{.soft = soft,
                      .tau = static_cast<std::uint32_t>(live.find("target.tau")),
                      .every = manifest.target.every.value_or(soft ? 1 : 1000)};
}

void check_schedules(const LiveValues& live, const Manifest& manifest, Problems& problems) {
    std::vector<std::string> movable = live.movable;
    std::copy_if(live.names.begin(), live.names.end(), std::back_inserter(movable),
                 [](const std::string& name) { return name.ends_with(".lr"); });
    for (const ScheduleTable& schedule : manifest.schedules) {
        if (live.find(schedule.option) < 0) {
            problems.push_back(no_such_option(schedule, movable));
        }
    }
}

}  // namespace tenon
