// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/readers.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tenon {
namespace {

// The tasks of the evaluation itself or, if it has none, those of training with the same component.
void read_evaluated_tasks(Manifest& manifest, Problems& problems, const FoundTable& found, EvalEnvTable& env) {
    ComponentTable& component = env.component;
    const bool same = component.ref.plugin == manifest.env.component.ref.plugin;
    if (found.table && found.table->find("tasks")) {
        const std::vector<GivenOption> shared =
            same ? overlaid(manifest.env.shared, component.options) : component.options;
        env.tasks = read_tasks(manifest, problems, "eval.env.tasks", found, component, shared);
        component.options = env.tasks.empty() ? shared : component.options;
    } else if (same) {
        for (const TaskTable& task : manifest.env.tasks) {
            TaskTable& own = env.tasks.emplace_back(task);
            own.component.path = path_of(path_of(component.path, "tasks"), std::to_string(env.tasks.size() - 1));
            own.component.schema = "eval.env.tasks";
            own.component.isolation = component.isolation;
            own.component.options = overlaid(task.component.options, component.options);
            own.lanes.reset();
        }
    }
    if (!env.tasks.empty()) {
        component.options.clear();
    }
}

EvalEnvTable read_env(Manifest& manifest, Problems& problems, const FoundTable& found) {
    const TableReader reader(manifest, problems, table_schema("eval.env"), found, {"tasks", "wrappers", "transforms"});
    EvalEnvTable out;
    out.component = reader.component();
    reader.fill(out);
    if (!out.component.isolation) {
        out.component.isolation = manifest.env.component.isolation;
    }
    if (out.component.ref.plugin.empty()) {
        out.component.ref.plugin = manifest.env.component.ref.plugin;
    }
    read_evaluated_tasks(manifest, problems, found, out);
    out.own_wrappers = read_components(manifest, problems, "eval.env", found, "wrappers", out.wrappers);
    out.own_transforms = read_components(manifest, problems, "eval.env", found, "transforms", out.transforms);
    return out;
}

// The metrics of two environments must have different names.
void check_names(const Manifest& manifest, Problems& problems) {
    const std::vector<EvalEnvTable>& envs = manifest.eval.envs;
    for (std::size_t i = 0; i < envs.size(); ++i) {
        const std::string path = path_of(envs[i].component.path, "name");
        const Place place = place_of(manifest, path);
        if (envs[i].name && !check_name(envs[i].component.path, *envs[i].name, place, problems)) {
            continue;
        }
        const auto is_task = [&](const EvalEnvTable& other) {
            return !other.name && std::ranges::find(other.tasks, *envs[i].name, &TaskTable::name) != other.tasks.end();
        };
        if (envs[i].name && std::ranges::any_of(envs, is_task)) {
            problems.push_back(input_problem(
                "the evaluation '" + *envs[i].name + "' and a task of the one without a name have the same metrics",
                place, "give it another name"));
        }
        const auto end = envs.begin() + static_cast<std::ptrdiff_t>(i);
        const auto same =
            std::find_if(envs.begin(), end, [&](const EvalEnvTable& other) { return other.name == envs[i].name; });
        if (same != end) {
            problems.push_back(input_problem(envs[i].name ? "two [[eval.env]] have the name '" + *envs[i].name + "'"
                                                          : "two [[eval.env]] have no name; only one may have none",
                                             place, "give each a different name = \"...\""));
            problems.back().also.push_back(place_of(manifest, path_of(same->component.path, "name")));
        }
    }
}

}  // namespace

void read_eval(Manifest& manifest, Problems& problems, const FoundTable& found) {
    TableReader(manifest, problems, table_schema("eval"), found, {"env"}).fill(manifest.eval);
    const TomlNode* node = found.table ? found.table->find("env") : nullptr;
    if (node == nullptr) {
        return;
    }
    const std::vector<FoundTable> tables = node->list()
                                               ? tables_of_list(manifest, problems, "eval.env", "eval.env", *node)
                                               : std::vector{find_table(manifest, problems, found, "env")};
    for (const FoundTable& own : tables) {
        if (!own.broken) {
            manifest.eval.envs.push_back(read_env(manifest, problems, own));
        }
    }
    check_names(manifest, problems);
}

}  // namespace tenon
