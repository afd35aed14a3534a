// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/readers.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error/listed.hpp"
#include "config/manifest/tables.hpp"

namespace tenon {
namespace {

TaskTable read_task(Manifest& manifest, Problems& problems, std::string_view schema, const FoundTable& found,
                    const ComponentTable& env, std::span<const GivenOption> shared) {
    const TableReader reader(manifest, problems, table_schema(schema), found);
    TaskTable out;
    ComponentTable& component = out.component = reader.component();
    reader.fill(out);
    if (component.ref.plugin.empty()) {
        component.ref = {.plugin = env.ref.plugin, .place = found.place};
    }
    if (!component.isolation) {
        component.isolation = env.isolation;
    }
    if (component.ref.plugin == env.ref.plugin) {
        component.options = overlaid(shared, component.options);
    }
    return out;
}

}  // namespace

std::vector<GivenOption> overlaid(std::span<const GivenOption> options, std::span<const GivenOption> over) {
    std::vector<GivenOption> out;
    for (const GivenOption& option : options) {
        if (std::ranges::find(over, option.name, &GivenOption::name) == over.end()) {
            out.push_back(option);
        }
    }
    out.insert(out.end(), over.begin(), over.end());
    return out;
}

std::vector<TaskTable> read_tasks(Manifest& manifest, Problems& problems, std::string_view schema,
                                  const FoundTable& found, const ComponentTable& env,
                                  std::span<const GivenOption> shared) {
    std::vector<TaskTable> out;
    const TomlNode* const node = found.table ? found.table->find("tasks") : nullptr;
    const std::string path = path_of(found.path, "tasks");
    if (node == nullptr) {
        return out;
    }
    for (const FoundTable& own : tables_of_list(manifest, problems, schema, path, *node)) {
        if (own.broken) {
            continue;
        }
        TaskTable task = read_task(manifest, problems, schema, own, env, shared);
        const Place place = place_of(manifest, path_of(own.path, "name"));
        if (task.name.value_or("").empty()) {
            task.name = own.path.substr(path.size() + 1);  // its number
        }
        if (!check_name(own.path, *task.name, place, problems)) {
            continue;
        }
        const auto same = std::ranges::find(out, task.name, &TaskTable::name);
        if (same != out.end()) {
            problems.push_back(
                input_problem("two tasks of [" + found.path + "] have the name '" + *task.name + "'", place));
            problems.back().also.push_back(place_of(manifest, path_of(same->component.path, "name")));
        }
        out.push_back(std::move(task));
    }
    return out;
}

void check_task_lanes(const Manifest& manifest, Problems& problems) {
    const EnvTable& env = manifest.env;
    if (env.tasks.empty()) {
        return;
    }
    std::int64_t given = 0;
    std::int64_t others = 0;
    for (const TaskTable& task : env.tasks) {
        given += task.lanes.value_or(0);
        others += task.lanes ? 0 : 1;
    }
    if (others > 0 ? given + others > env.lanes : given != env.lanes) {
        const std::string need = std::to_string(given + others);
        problems.push_back(input_problem(
            "env.lanes is " + std::to_string(env.lanes) + ", but its " + counted(env.tasks.size(), "task") +
                (env.tasks.size() == 1 ? " needs " : " need ") + (others > 0 ? "at least " + need : need),
            place_of(manifest, "env.lanes")));
    }
}

}  // namespace tenon
