// SPDX-License-Identifier: Apache-2.0
#include "train/plan/live.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error/listed.hpp"
#include "train/plan/moved_options.hpp"
#include "train/plan/plans.hpp"
#include "train/plan/schedules.hpp"

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

Problem no_such_option(const ScheduleTable& schedule, const std::vector<std::string>& movable) {
    const std::vector<std::string_view> names(movable.begin(), movable.end());
    const std::string suggestion = did_you_mean(schedule.option, names);
    return input_problem("schedule." + schedule.option + ": this run has no such option" + suggestion, schedule.place,
                         suggestion.empty() && !movable.empty() ? "a schedule can change " + listed(movable) : "");
}

// For a key of an optimiser: every stage overrides it in its own table, or nothing learns.
Problem unused_schedule(const ScheduleTable& schedule, const LivePlan& live) {
    const std::string key = schedule.option.substr(schedule.option.rfind('.') + 1);
    std::vector<std::string> instead;
    std::ranges::copy_if(live.names, std::back_inserter(instead),
                         [&](const std::string& name) { return is_of_host(name) && name.ends_with("." + key); });
    return instead.empty()
               ? no_such_option(schedule, live.movable)
               : input_problem("schedule." + schedule.option + " has no effect: every stage has its own " + key,
                               schedule.place, "schedule " + listed(instead));
}

// Says why the schedule has no effect: the option does not exist, or no graph reads it.
void refuse_schedule(const ScheduleTable& schedule, const LivePlan& live, const Parts& parts, Problems& problems) {
    const std::size_t dot = schedule.option.rfind('.');
    const std::string table = schedule.option.substr(0, dot);
    const std::string name = schedule.option.substr(dot + 1);
    const Part* const part = find_part_at(parts, table);
    if (part != nullptr && part->info.note == nullptr) {
        return;  // already reported as not found
    }
    const bool has =
        part != nullptr && std::ranges::find(part->schema(), name, &OptionSchema::name) != part->schema().end();
    problems.push_back(has ? input_problem("schedule." + schedule.option + ": the option " + name + " of " +
                                               part->info.name + " cannot change during a run",
                                           schedule.place)
                           : no_such_option(schedule, live.movable));
}

void add_part(LivePlan& live, const Manifest& manifest, const Part& part, Problems& problems) {
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
        const double own = number_of(part.values[i]).value_or(0);
        check_schedule(manifest, *table, option, own, problems);
        add_scheduled(live, manifest, name, own);
    }
}

}  // namespace

std::uint32_t LivePlan::add(std::string name, double value) {
    if (const std::int64_t known = find(name); known >= 0) {
        return static_cast<std::uint32_t>(known);
    }
    names.push_back(std::move(name));
    values.push_back(value);
    return static_cast<std::uint32_t>(values.size() - 1);
}

std::int64_t LivePlan::find(std::string_view name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : found - names.begin();
}

bool LivePlan::is_moved(std::string_view name) const {
    return std::ranges::find(moved, name, &MovedOption::name) != moved.end();
}

LivePlan make_live(const Manifest& manifest, const Parts& parts, Problems& problems) {
    LivePlan live;
    for (const auto* list : {&parts.training.wrappers, &parts.training.transforms, &parts.policies, &parts.objectives,
                             &parts.hooks, &parts.explorations}) {
        for (const Part& part : *list) {
            add_part(live, manifest, part, problems);
        }
    }
    for (const std::optional<Part>& buffer : parts.buffers) {
        if (buffer) {
            add_part(live, manifest, *buffer, problems);
        }
    }
    if (manifest.parameter_noise) {
        add_scheduled(live, manifest, "parameter_noise.sigma", manifest.parameter_noise->sigma);
        add_scheduled(live, manifest, "parameter_noise.target", manifest.parameter_noise->target);
    }
    for (const ScheduleTable& schedule : manifest.schedules) {
        if (is_of_host(schedule.option)) {
            check_host_schedule(manifest, schedule, problems);
        } else if (live.find(schedule.option) < 0) {
            refuse_schedule(schedule, live, parts, problems);
        }
    }
    return live;
}

std::uint32_t add_scheduled(LivePlan& live, const Manifest& manifest, const std::string& name, double value) {
    if (const std::int64_t known = live.find(name); known >= 0) {
        return static_cast<std::uint32_t>(known);
    }
    const std::uint32_t index = live.add(name, value);
    if (const ScheduleTable* table = schedule_of(manifest, name)) {
        live.schedules.push_back(make_schedule(manifest, *table, value, index));
        live.values[index] = value_at(live.schedules.back(), 0);
    }
    return index;
}

std::vector<graph::OptionBinding> bind_options(const Part& part, const LivePlan& live) {
    std::vector<graph::OptionBinding> out;
    for (std::size_t i = 0; i < part.schema().size(); ++i) {
        if (const auto number = number_of(part.values[i])) {
            const std::string& name = part.schema()[i].name;
            out.push_back({name, *number, live.find(part.table->path + "." + name)});
        }
    }
    return out;
}

OptionNumbers::OptionNumbers(const Part& part, const LivePlan& live) {
    for (std::size_t i = 0; i < part.schema().size(); ++i) {
        values_.push_back(number_of(part.values[i]).value_or(0));
        live_.push_back(live.find(part.table->path + "." + part.schema()[i].name));
    }
}

bool OptionNumbers::change() const {
    return std::ranges::any_of(live_, [](std::int64_t index) { return index >= 0; });
}

std::span<const double> OptionNumbers::now(std::span<const double> live) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (live_[i] >= 0) {
            values_[i] = live[static_cast<std::size_t>(live_[i])];
        }
    }
    return values_;
}

void check_schedules(const LivePlan& live, const Manifest& manifest, Problems& problems) {
    for (const ScheduleTable& schedule : manifest.schedules) {
        if (live.find(schedule.option) < 0) {
            problems.push_back(unused_schedule(schedule, live));
        }
    }
}

}  // namespace tenon
