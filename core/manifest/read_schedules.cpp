// SPDX-License-Identifier: Apache-2.0
#include "manifest/read_schedules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace tenon {
namespace {

class ScheduleReader {
public:
    ScheduleReader(Manifest& manifest, Problems& problems) : manifest_(manifest), problems_(problems) {}

    void read(const TomlTable& table, const std::string& prefix) {
        for (const TomlEntry& entry : table.entries) {
            const std::string option = path_of(prefix, entry.key);
            if (entry.node.table() && is_step(option, *entry.node.table())) {
                read(*entry.node.table(), option);
            } else if (may_move(option, entry.node)) {
                read_one(option, entry.node);
            }
        }
    }

private:
    // A table of the manifest, or one that holds only tables, is a step of the path; any other is a schedule.
    bool is_step(const std::string& path, const TomlTable& table) const {
        const auto is_table = [](const TomlEntry& entry) { return entry.node.table() != nullptr; };
        return schema_of(path) ||
               (!table.entries.empty() && std::all_of(table.entries.begin(), table.entries.end(), is_table));
    }

    // What can be said without the components: their own options are left to the wiring.
    bool may_move(const std::string& option, const TomlNode& node) {
        const std::size_t dot = option.rfind('.');
        const std::string parent = option.substr(0, dot == std::string::npos ? 0 : dot);
        const std::string name = option.substr(parent.empty() ? 0 : dot + 1);
        const std::string first = option.substr(0, option.find('.'));
        const TableSchema* schema = schema_of(parent);
        if (!schema) {
            constexpr std::array<std::string_view, 5> kHolders = {"env", "policy", "exploration", "buffer",
                                                                  "objective"};
            const bool may_be = std::find(kHolders.begin(), kHolders.end(), first) != kHolders.end();
            if (!may_be || parent.empty()) {
                report_unknown(option, first, node);
                return false;
            }
            return true;
        }
        std::vector<std::string_view> live;
        for (const OptionSchema& key : schema->keys) {
            if (key.name == name && !key.live) {
                problems_.push_back(
                    input_problem(option + " cannot be scheduled: it holds for the whole run", node.key_place));
                return false;
            }
            if (key.live) {
                live.push_back(key.name);
            }
        }
        if (!schema->component && std::find(live.begin(), live.end(), name) == live.end()) {
            problems_.push_back(input_problem(
                "there is no option '" + option + "' to schedule" + did_you_mean(name, live), node.key_place));
            return false;
        }
        return true;
    }

    void report_unknown(const std::string& option, const std::string& first, const TomlNode& node) {
        const std::vector<std::string_view> names = {"env",    "policy",    "exploration",
                                                     "buffer", "objective", "optimiser"};
        const bool is_known = std::find(names.begin(), names.end(), first) != names.end();
        problems_.push_back(input_problem(
            "there is no option '" + option + "' to schedule" + (is_known ? std::string{} : did_you_mean(first, names)),
            node.key_place, "write the path of an option, as in \"optimiser.lr\""));
    }

    // The schema of the table at that path, if the manifest has it or could have it.
    const TableSchema* schema_of(const std::string& path) const {
        for (const TableSchema& schema : manifest_tables()) {
            if (schema.name == path) {
                return &schema;
            }
        }
        for (const PolicyTable& policy : manifest_.policies) {
            if (policy.component.path == path) {
                return &table_schema("policy.NAME");
            }
        }
        for (const OptimiserStage& stage : manifest_.optimiser_stages) {
            if (path_of("optimiser", stage.name) == path) {
                return &table_schema("optimiser.STAGE");
            }
        }
        return nullptr;
    }

    void read_one(const std::string& option, const TomlNode& node) {
        const std::string path = path_of("schedule", option);
        const auto earlier = std::find_if(manifest_.schedules.begin(), manifest_.schedules.end(),
                                          [&](const ScheduleTable& schedule) { return schedule.option == option; });
        if (earlier != manifest_.schedules.end()) {
            problems_.push_back(input_problem(option + " has two schedules", node.key_place));
            problems_.back().also.push_back(earlier->place);
            return;
        }
        const std::size_t before = problems_.size();
        const FoundTable found = as_table(manifest_, problems_, path, node);
        const TableReader reader(manifest_, problems_, table_schema("schedule"), found);
        ScheduleTable schedule;
        schedule.option = option;
        schedule.place = node.key_place;
        reader.fill(schedule);
        if (problems_.size() == before) {
            check_keys(schedule, path, node.place);
            check_range(schedule);
        }
        if (problems_.size() == before) {
            manifest_.schedules.push_back(std::move(schedule));
        }
    }

    // The ranges of components' options are in their notes.
    void check_range(const ScheduleTable& schedule) {
        const std::size_t dot = schedule.option.rfind('.');
        const TableSchema* schema = schema_of(schedule.option.substr(0, dot));
        for (std::size_t i = 0; schema && i < schema->keys.size(); ++i) {
            if (schema->keys[i].name == schedule.option.substr(dot + 1)) {
                check_schedule_range(schedule, schema->keys[i], problems_);
            }
        }
    }

    void check_keys(const ScheduleTable& schedule, const std::string& path, const Place& place) {
        const int lengths = (schedule.frames ? 1 : 0) + (schedule.updates ? 1 : 0) + (schedule.fraction ? 1 : 0);
        if (schedule.kind == "constant") {
            if (schedule.to || lengths > 0) {
                problems_.push_back(input_problem(path + " is constant: it needs 'from' and nothing else", place));
            }
        } else if (!schedule.to) {
            problems_.push_back(
                input_problem(path + ".to must be given", place, "The value at the end and from then on."));
        } else if (lengths != 1) {
            problems_.push_back(input_problem(path + " needs one of 'frames', 'updates' and 'fraction', and has " +
                                                  (lengths == 0 ? "none" : std::to_string(lengths)),
                                              place));
        }
    }

    Manifest& manifest_;
    Problems& problems_;
};

}  // namespace

void check_schedule_range(const ScheduleTable& schedule, const OptionSchema& option, Problems& problems) {
    const auto range = parse_range(option.range);
    const auto check = [&](const std::string& verb, double end) {
        if (range && !range->contains(end)) {
            problems.push_back(input_problem(
                "schedule." + schedule.option + verb + to_toml(end) + ", outside of " + option.range, schedule.place));
        }
    };
    check(" begins at ", schedule.from);
    if (schedule.to) {
        check(" goes to ", *schedule.to);
    }
}

void read_schedules(Manifest& manifest, Problems& problems, const FoundTable& found) {
    if (found.table) {
        ScheduleReader(manifest, problems).read(*found.table, {});
    }
}

}  // namespace tenon
