// SPDX-License-Identifier: Apache-2.0
// Assembles the tables of a document into a Manifest.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "config/manifest/optimisers.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/readers.hpp"
#include "config/manifest/table_reader.hpp"
#include "config/manifest/value.hpp"

namespace tenon {
namespace {

class ManifestReader {
public:
    ManifestReader(const Document& document, Problems& problems)
        : problems_(problems), root_{.path = {}, .table = &document.root, .place = document.place} {
        manifest_.place = document.place;
    }

    Manifest read_env_alone() {
        read_plugins();
        simple("isolation", manifest_.isolation);
        read_env();
        return std::move(manifest_);
    }

    Manifest read() {
        report_unknown_tables();
        read_run();
        read_plugins();
        simple("isolation", manifest_.isolation);
        read_env();
        read_policies();
        read_explorations();
        if (root_.table->find("parameter_noise")) {
            simple("parameter_noise", manifest_.parameter_noise.emplace());
        }
        if (root_.table->find("collector")) {
            simple("collector", manifest_.collector.emplace());
        }
        simple("train", manifest_.train);
        read_buffer();
        read_columns(manifest_, problems_, find("columns"));
        read_objectives();
        read_optimiser();
        simple("target", manifest_.target);
        complete_target(manifest_, problems_);
        if (const TomlNode* const hooks = root_.table->find("hooks")) {
            read_hooks(manifest_, problems_, *hooks);
        }
        read_eval(manifest_, problems_, find("eval"));
        simple("log", manifest_.log);
        simple("checkpoint", manifest_.checkpoint);
        simple("cluster", manifest_.cluster);
        simple("validate", manifest_.validate);
        complete_pace(manifest_, problems_);
        read_schedules(manifest_, problems_, find("schedule"));
        return std::move(manifest_);
    }

private:
    FoundTable find(std::string_view name) { return find_table(manifest_, problems_, root_, name); }

    template <class T>
    void simple(std::string_view name, T& table) {
        const FoundTable found = find(name);
        TableReader(manifest_, problems_, table_schema(name), found).fill(table);
    }

    void report_unknown_tables() {
        std::vector<std::string_view> known;
        for (const TableSchema& schema : manifest_tables()) {
            if (schema.name.find('.') == std::string::npos) {
                known.push_back(schema.name);
            }
        }
        known.insert(known.end(), {"policy"});
        for (const TomlEntry& entry : root_.table->entries) {
            if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
                continue;
            }
            Problem problem = unknown_key_problem({}, entry.key, entry.node, known);
            if (entry.node.table() || entry.node.is_table_list()) {
                problem = input_problem("unknown table [" + entry.key + "]" + did_you_mean(entry.key, known),
                                        std::move(problem.place), std::move(problem.help));
            } else if (const std::string owners = owners_of(entry.key); !owners.empty()) {
                problem = input_problem("'" + entry.key + "' is outside of any table; it is a key of " + owners,
                                        std::move(problem.place));
            }
            problems_.push_back(std::move(problem));
        }
    }

    void read_run() {
        const FoundTable run = find("run");
        TableReader(manifest_, problems_, table_schema("run"), run).fill(manifest_.run);
        const TomlNode* const train = root_.table->find("train");
        const bool only_learns = train && train->table() && train->table()->find("total_updates");
        if (!only_learns && !run.broken && !(run.table && run.table->find("total_frames"))) {
            const std::vector<OptionSchema>& keys = table_schema("run").keys;
            const auto key = std::ranges::find(keys, "total_frames", &OptionSchema::name);
            problems_.push_back(missing_problem(*key, "run.total_frames", run.place));
        }
    }

    void read_plugins() {
        const FoundTable found = find("plugins");
        TableReader(manifest_, problems_, table_schema("plugins"), found, {"sha256"}).fill(manifest_.plugins);
        const FoundTable pins = find_table(manifest_, problems_, found, "sha256");
        if (!pins.table) {
            return;
        }
        for (const TomlEntry& entry : pins.table->entries) {
            const std::string path = path_of(pins.path, entry.key);
            manifest_.given[path] = entry.node.place;
            const auto* hash = std::get_if<std::string>(&entry.node.value);
            const auto is_hex = [](char c) {
                return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            };
            if (!hash || hash->size() != 64 || !std::all_of(hash->begin(), hash->end(), is_hex)) {
                problems_.push_back(
                    input_problem(path + " must be a string of 64 hexadecimal digits", entry.node.place));
                continue;
            }
            std::string lower = *hash;
            for (char& c : lower) {
                c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
            }
            manifest_.plugins.sha256.push_back(
                {.library = entry.key, .sha256 = std::move(lower), .place = entry.node.place});
        }
    }

    void read_env() {
        if (!root_.table->find("env")) {
            problems_.push_back(input_problem("the manifest has no [env] table", manifest_.place,
                                              "write [env] with plugin = \"library/component\""));
            return;
        }
        const FoundTable found = find("env");
        const TableReader reader(manifest_, problems_, table_schema("env"), found, {"tasks", "wrappers", "transforms"});
        manifest_.env.component = reader.component();
        reader.fill(manifest_.env);
        ComponentTable& component = manifest_.env.component;
        manifest_.env.tasks = read_tasks(manifest_, problems_, "env.tasks", found, component, component.options);
        if (!manifest_.env.tasks.empty()) {
            manifest_.env.shared = std::exchange(component.options, {});
            check_task_lanes(manifest_, problems_);
        } else if (manifest_.env.task_column) {
            problems_.push_back(input_problem("env.task_column is given, but [env] has no tasks",
                                              place_of(manifest_, "env.task_column"), "write [[env.tasks]]"));
        }
        read_components(manifest_, problems_, "env", found, "wrappers", manifest_.env.wrappers);
        read_components(manifest_, problems_, "env", found, "transforms", manifest_.env.transforms);
    }

    void read_policies() {
        const FoundTable found = find("policy");
        if (!found.broken && (!found.table || found.table->entries.empty())) {
            problems_.push_back(input_problem("the manifest has no [policy.NAME] table", found.place,
                                              "write [policy.actor] with plugin = \"library/component\""));
        }
        if (!found.table) {
            return;
        }
        for (const TomlEntry& entry : found.table->entries) {
            if (!check_name("policy", entry.key, entry.node.key_place, problems_)) {
                continue;
            }
            const FoundTable own = as_table(manifest_, problems_, path_of("policy", entry.key), entry.node);
            if (own.broken) {
                problems_.back().help = "a policy needs a name: write [policy.actor]";
                continue;
            }
            const TableReader reader(manifest_, problems_, table_schema("policy.NAME"), own, {"reference"});
            PolicyTable policy;
            policy.name = entry.key;
            policy.component = reader.component();
            reader.fill(policy);
            if (own.table->find("reference")) {
                const FoundTable reference = find_table(manifest_, problems_, own, "reference");
                TableReader(manifest_, problems_, table_schema("policy.NAME.reference"), reference)
                    .fill(policy.reference.emplace());
            }
            manifest_.policies.push_back(std::move(policy));
        }
    }

    void read_explorations() {
        const auto read = [&](const FoundTable& found, std::string group) {
            manifest_.explorations.push_back(
                {std::move(group), TableReader(manifest_, problems_, table_schema("exploration"), found).component()});
        };
        if (root_.table->find("exploration") == nullptr) {
            return;
        }
        const FoundTable found = find("exploration");
        if (!has_only_tables(found)) {
            read(found, "");
            return;
        }
        for (const TomlEntry& entry : found.table->entries) {
            if (check_name("exploration", entry.key, entry.node.key_place, problems_)) {
                read(as_table(manifest_, problems_, path_of("exploration", entry.key), entry.node), entry.key);
            }
        }
    }

    void read_buffer() {
        if (root_.table->find("buffer")) {
            read_buffers(manifest_, problems_, find("buffer"));
        }
    }

    void read_objectives() {
        const TomlNode* node = root_.table->find("objective");
        if (node && node->list()) {
            for (const FoundTable& found : tables_of_list(manifest_, problems_, "objective", "objective", *node)) {
                read_objective(manifest_, problems_, found);
            }
        } else if (node) {
            read_objective(manifest_, problems_, find("objective"));
        }
        check_objectives(manifest_, problems_);
    }

    void read_optimiser() {
        const FoundTable found = find("optimiser");
        const std::vector<OptionSchema>& keys = table_schema("optimiser").keys;
        std::vector<std::string_view> stages;
        for (std::size_t i = 0; found.table && i < found.table->entries.size(); ++i) {
            const TomlEntry& entry = found.table->entries[i];
            const auto is_key = [&](const OptionSchema& key) { return key.name == entry.key; };
            if (entry.node.table() && std::none_of(keys.begin(), keys.end(), is_key)) {
                stages.push_back(entry.key);
            }
        }
        TableReader(manifest_, problems_, table_schema("optimiser"), found, stages, false).fill(manifest_.optimiser);
        for (const std::string_view name : stages) {
            read_optimiser_of(found, name, {});
        }
        complete_optimisers(manifest_, problems_);
    }

    // [optimiser.STAGE], [optimiser.OBJECTIVE] and its [optimiser.OBJECTIVE.STAGE].
    void read_optimiser_of(const FoundTable& parent, std::string_view name, std::string_view objective) {
        if (!check_name(parent.path, name, parent.table->find(name)->key_place, problems_)) {
            return;
        }
        const FoundTable own = find_table(manifest_, problems_, parent, name);
        const std::string full = path_of(objective, name);
        std::vector<std::string_view> below;
        const bool is_objective =
            objective.empty() && std::ranges::any_of(manifest_.objectives, [&](const ObjectiveTable& table) {
                return table.name == std::string(name);
            });
        for (std::size_t i = 0; is_objective && own.table != nullptr && i < own.table->entries.size(); ++i) {
            if (own.table->entries[i].node.table()) {
                below.push_back(own.table->entries[i].key);
            }
        }
        OptimiserStage stage{.name = full, .table = {}};
        TableReader(manifest_, problems_, table_schema("optimiser.STAGE"), own, below, false).fill(stage.table);
        manifest_.optimiser_stages.push_back(std::move(stage));
        for (const std::string_view inner : below) {
            read_optimiser_of(own, inner, name);
        }
    }

    Problems& problems_;
    FoundTable root_;
    Manifest manifest_;
};

}  // namespace

Manifest read_tables(const Document& document, Problems& problems) {
    return ManifestReader(document, problems).read();
}

Manifest read_env_tables(const Document& document, Problems& problems) {
    return ManifestReader(document, problems).read_env_alone();
}

Place place_of(const Manifest& manifest, std::string_view path) {
    while (!path.empty()) {
        if (const auto found = manifest.given.find(path); found != manifest.given.end()) {
            return found->second;
        }
        const std::size_t dot = path.rfind('.');
        path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    return manifest.place;
}

}  // namespace tenon
