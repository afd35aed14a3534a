// SPDX-License-Identifier: Apache-2.0
#include "train/plan/parts.hpp"

#include <algorithm>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/random/key.hpp"
#include "config/manifest/options.hpp"
#include "config/manifest/tables.hpp"
#include "plugins/plugin/apart.hpp"

namespace tenon {
namespace {

// The schema with different defaults.
std::vector<OptionSchema> with_defaults(std::vector<OptionSchema> schema, const std::vector<OptionValue>& values) {
    for (std::size_t i = 0; i < schema.size(); ++i) {
        schema[i].standard = values[i];
    }
    return schema;
}

// like: a part with the same component, whose options are the defaults for this part's.
Part find_part(const ComponentTable& table, std::string_view kind, const Registry& registry, Problems& problems,
               const Part* like = nullptr) {
    Part part{.table = &table, .info = {}, .values = {}, .loaded = {}};
    const bool same = like != nullptr && like->table->ref.plugin == table.ref.plugin;
    if (table.ref.plugin.empty() || (same && like->info.note == nullptr)) {
        return part;  // already reported
    }
    Result<ComponentInfo> found = registry.find(table.ref.plugin, kind, table.path, table.ref.place);
    if (!is_done(found, problems)) {
        return part;
    }
    part.info = std::move(*found);
    for (const OptionSchema& own : table_schema(table.schema).keys) {
        if (std::ranges::find(part.schema(), own.name, &OptionSchema::name) != part.schema().end()) {
            problems.push_back(plugin_problem(part.info.name + " has an option '" + own.name + "', which is a key of " +
                                                  table_schema(table.schema).heading + " itself",
                                              table.ref.place));
        }
    }
    part.values = resolve_options(table, same ? with_defaults(part.schema(), like->values) : part.schema(), problems);
    return part;
}

IsolationRules rules_of(const IsolationTable& table) {
    return {.workers = static_cast<std::uint32_t>(table.workers),
            .seconds = table.time_limit,
            .restarts = static_cast<std::uint32_t>(table.restarts),
            .memory_mb = static_cast<std::uint64_t>(table.memory),
            .processor_s = static_cast<std::uint64_t>(table.processor),
            .network = table.network};
}

// Graphs are always built in this process, and transforms of sampled rows always run in it, whatever [plugins] says of
// other components. Requesting isolation for a graph alone is a mistake.
Result<LoadedComponent> load_part(const Part& part, const Manifest& manifest, Registry& registry, const tn_host& host) {
    const std::string& kind = part.info.note->kind;
    const bool may =
        kind == "env" || (kind == "transform" && part.table->schema != "buffer.transforms") || kind == "policy";
    if (!may || part.table->isolation.value_or(manifest.plugins.isolation) != "process") {
        return registry.load(part.info, host);
    }
    Result<LoadedComponent> apart = registry.load_apart(part.info, rules_of(manifest.isolation), host);
    if (!apart || !apart->offers("tenon.graph/1")) {
        return apart;
    }
    if (part.table->isolation) {
        return input_problem(
            part.info.name + " is a graph, which the host computes: it cannot run in a separate process",
            place_of(manifest, part.table->path + ".isolation"), "remove isolation");
    }
    return registry.load(part.info, host);
}

std::vector<Part> find_parts_of(const std::vector<ComponentTable>& tables, std::string_view kind,
                                const Registry& registry, Problems& problems) {
    return mapped<Part>(tables,
                        [&](const ComponentTable& table) { return find_part(table, kind, registry, problems); });
}

// Mistakes in [env] are reported once, not for each task.
std::vector<Part> find_tasks(const std::vector<TaskTable>& tables, const Registry& registry, Problems& problems) {
    std::vector<Part> out;
    for (const TaskTable& table : tables) {
        Problems own;
        out.push_back(find_part(table.component, "env", registry, own));
        const Problems before = problems;  // of other tasks: two problems of one may have the same place
        for (Problem& problem : own) {
            const auto is_said = [&](const Problem& said) {
                const Place& place = said.place;
                return place.file == problem.place.file && place.line == problem.place.line &&
                       place.column == problem.place.column;
            };
            if (std::ranges::none_of(before, is_said)) {
                problems.push_back(std::move(problem));
            }
        }
    }
    return out;
}

EnvParts find_env(const ComponentTable& table, const std::vector<TaskTable>& tasks, const std::string& task_column,
                  const Registry& registry, Problems& problems, const Part* like = nullptr) {
    EnvParts out;
    out.tables = &tasks;
    out.task_column = task_column;
    if (tasks.empty()) {
        out.env = find_part(table, "env", registry, problems, like);
        return out;
    }
    out.tasks = find_tasks(tasks, registry, problems);
    out.env = out.tasks.front();
    return out;
}

EnvParts find_evaluation(const EvalEnvTable& table, const EnvParts& training, const Registry& registry,
                         Problems& problems) {
    EnvParts out = find_env(table.component, table.tasks, training.task_column, registry, problems,
                            training.tasks.empty() ? &training.env : nullptr);
    out.wrappers =
        table.own_wrappers ? find_parts_of(table.wrappers, "wrapper", registry, problems) : training.wrappers;
    out.transforms =
        table.own_transforms ? find_parts_of(table.transforms, "transform", registry, problems) : training.transforms;
    return out;
}

}  // namespace

Parts find_parts(const Manifest& manifest, const Registry& registry, Problems& problems) {
    Parts parts;
    parts.training =
        find_env(manifest.env.component, manifest.env.tasks, manifest.env.task_column.value_or(""), registry, problems);
    parts.training.wrappers = find_parts_of(manifest.env.wrappers, "wrapper", registry, problems);
    parts.training.transforms = find_parts_of(manifest.env.transforms, "transform", registry, problems);
    for (const PolicyTable& policy : manifest.policies) {
        parts.policies.push_back(find_part(policy.component, "policy", registry, problems));
    }
    for (const ExplorationTable& exploration : manifest.explorations) {
        parts.explorations.push_back(find_part(exploration.component, "policy", registry, problems));
    }
    for (const BufferTable& buffer : manifest.buffers) {
        std::optional<Part>& part = parts.buffers.emplace_back();
        if (buffer.mix.empty()) {
            part = find_part(buffer.component, "buffer", registry, problems);
        }
        parts.sampled.push_back(find_parts_of(buffer.transforms, "transform", registry, problems));
    }
    for (const ObjectiveTable& objective : manifest.objectives) {
        parts.objectives.push_back(find_part(objective.component, "objective", registry, problems));
    }
    for (const HookTable& hook : manifest.hooks) {
        parts.hooks.push_back(find_part(hook.component, "hook", registry, problems));
    }
    for (const EvalEnvTable& table : manifest.eval.envs) {
        parts.evaluations.push_back(find_evaluation(table, parts.training, registry, problems));
    }
    return parts;
}

void load_parts(Parts& parts, const Manifest& manifest, Registry& registry, const tn_host& host, Problems& problems) {
    each_part(parts, [&](Part& part) {
        if (part.info.note == nullptr) {
            return;
        }
        Result<LoadedComponent> loaded = load_part(part, manifest, registry, host);
        if (loaded) {
            part.loaded = *std::move(loaded);
        } else if (std::none_of(problems.begin(), problems.end(), [&](const Problem& said) {
                       return said.sentence == loaded.error().sentence;  // the same failure of the library
                   })) {
            problems.push_back(std::move(loaded).error());
        }
    });
}

Result<Instance> instantiate(const Part& part, std::uint32_t lanes, std::uint64_t seed, std::string_view stream) {
    const tn_key key = make_key(seed, std::string(stream) + part.table->path);
    return Instance::create(*part.loaded, part.values, lanes, key, part.table->ref.place);
}

}  // namespace tenon
