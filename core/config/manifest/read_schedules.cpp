// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/readers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "config/manifest/optimisers.hpp"
#include "config/manifest/schedule_pieces.hpp"

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
    // A table of the manifest, or a table of tables, is part of the path; any other value is a schedule.
    bool is_step(const std::string& path, const TomlTable& table) const {
        const auto is_table = [](const TomlEntry& entry) { return entry.node.table() != nullptr; };
        return schema_of(path) ||
               (!table.entries.empty() && std::all_of(table.entries.begin(), table.entries.end(), is_table));
    }

    // Checks what can be known without the components; the wiring checks their own options.
    bool may_move(const std::string& option, const TomlNode& node) {
        const std::size_t dot = option.rfind('.');
        const std::string parent = option.substr(0, dot == std::string::npos ? 0 : dot);
        const std::string name = option.substr(parent.empty() ? 0 : dot + 1);
        const std::string first = option.substr(0, option.find('.'));
        const TableSchema* schema = schema_of(parent);
        if (!schema) {
            constexpr std::array<std::string_view, 6> kHolders = {"env",    "policy",    "exploration",
                                                                  "buffer", "objective", "hooks"};
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
                    input_problem(option + " cannot be scheduled: it is fixed for the whole run", node.key_place));
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
        if (const std::string why = why_not_of_kind(manifest_, parent, name); !why.empty()) {
            problems_.push_back(input_problem(option + " cannot be scheduled: " + why, node.key_place));
            return false;
        }
        return true;
    }

    void report_unknown(const std::string& option, const std::string& first, const TomlNode& node) {
        const std::vector<std::string_view> names = {"env",       "policy", "exploration",     "buffer", "objective",
                                                     "optimiser", "target", "parameter_noise", "hooks"};
        const bool is_known = std::find(names.begin(), names.end(), first) != names.end();
        problems_.push_back(input_problem(
            "there is no option '" + option + "' to schedule" + (is_known ? std::string{} : did_you_mean(first, names)),
            node.key_place, "write the path of an option, as in \"optimiser.lr\""));
    }

    // The schema of the table with that path, if the manifest has or could have it.
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
        const auto earlier = std::find_if(manifest_.schedules.begin(), manifest_.schedules.end(),
                                          [&](const ScheduleTable& schedule) { return schedule.option == option; });
        if (earlier != manifest_.schedules.end()) {
            problems_.push_back(
                input_problem(option + " has two schedules", node.key_place,
                              "to change one with --set, put the option in quotes: schedule.\"" + option + "\""));
            problems_.back().also.push_back(earlier->place);
            return;
        }
        if (std::optional<ScheduleTable> schedule = read_schedule(manifest_, problems_, option, node)) {
            manifest_.schedules.push_back(*std::move(schedule));
        }
    }

    Manifest& manifest_;
    Problems& problems_;
};

}  // namespace

void read_schedules(Manifest& manifest, Problems& problems, const FoundTable& found) {
    if (found.table) {
        ScheduleReader(manifest, problems).read(*found.table, {});
    }
}

}  // namespace tenon
