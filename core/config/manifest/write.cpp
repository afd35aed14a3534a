// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/write.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

class Writer {
public:
    explicit Writer(std::span<const ResolvedComponent> components) : components_(components) {}

    template <class T>
    void table(const std::string& heading, const T& fields) {
        begin(heading);
        write_fields(fields);
    }

    template <class... T>
    void component(const std::string& heading, const ComponentTable& component, const T&... fields) {
        begin(heading);
        line("plugin", toml_string(component.ref.plugin));
        if (component.isolation) {
            line("isolation", toml_string(*component.isolation));
        }
        if (!component.group.empty()) {
            line("group", toml_string(component.group));
        }
        (write_fields(fields), ...);
        write_options(component);
    }

    void begin(const std::string& heading) { out_ += "\n" + heading + "\n"; }

    void line(std::string_view key, const std::string& value) { out_ += toml_key(key) + " = " + value + "\n"; }

    void schedule(const ScheduleTable& schedule) {
        std::string value;
        for (const SchedulePieceTable& piece : schedule.pieces) {
            value += (value.empty() ? "{ " : ", { ") + list_of_fields(piece) + " }";
        }
        line(schedule.option, schedule.list ? "[" + value + "]" : value);
    }

    void column(const StandInTable& column) {
        line(column.key, column.objectives.empty() ? toml_string(column.of) : "{ " + list_of_fields(column) + " }");
    }

    std::string take() { return std::move(out_); }

private:
    template <class T>
    static std::optional<std::string> text_of(const T& field) {
        return to_toml(OptionValue(field));
    }
    template <class T>
    static std::optional<std::string> text_of(const std::optional<T>& field) {
        return field ? std::optional(to_toml(OptionValue(*field))) : std::nullopt;
    }

    static std::optional<std::string> text_of(const Capacity& field) {
        return field.bytes == 0 ? to_toml(OptionValue(field.frames)) : toml_string(field.size);
    }

    template <class T>
    static std::string list_of_fields(const T& fields) {
        std::string out;
        each_field(fields, [&](std::string_view name, const auto& field) {
            if (const std::optional<std::string> text = text_of(field)) {
                out += (out.empty() ? "" : ", ") + std::string(name) + " = " + *text;
            }
        });
        return out;
    }

    template <class T>
    void write_fields(const T& fields) {
        each_field(fields, [&](std::string_view name, const auto& field) {
            if (const std::optional<std::string> text = text_of(field)) {
                line(name, *text);
            }
        });
    }

    void write_options(const ComponentTable& component) {
        const auto at = std::find_if(components_.begin(), components_.end(), [&](const ResolvedComponent& resolved) {
            return resolved.path == component.path;
        });
        if (at != components_.end()) {
            for (const auto& [name, value] : at->options) {
                line(name, to_toml(value));
            }
            return;
        }
        for (const GivenOption& option : component.options) {
            line(option.name, to_toml(option.value));
        }
    }

    std::span<const ResolvedComponent> components_;
    std::string out_ = "# Every value of the run, defaults included.\n";
};

// The lists of [env] or [eval.env].
template <class Env>
void write_lists(Writer& writer, const std::string& path, const Env& env) {
    for (const TaskTable& task : env.tasks) {
        writer.component("[[" + path + ".tasks]]", task.component, task);
    }
    for (const ComponentTable& wrapper : env.wrappers) {
        writer.component("[[" + path + ".wrappers]]", wrapper);
    }
    for (const ComponentTable& transform : env.transforms) {
        writer.component("[[" + path + ".transforms]]", transform);
    }
}

void write_eval(Writer& writer, const Manifest& manifest) {
    const EvalTable& eval = manifest.eval;
    writer.table("[eval]", eval);
    for (const EvalEnvTable& env : eval.envs) {
        const bool listed = env.component.path != "eval.env";
        writer.component(listed ? "[[eval.env]]" : "[eval.env]", env.component, env);
        const bool same = env.component.ref.plugin == manifest.env.component.ref.plugin;
        if (env.tasks.empty() && same && !manifest.env.tasks.empty()) {
            writer.line("tasks", "[]");
        }
        if (env.own_wrappers && env.wrappers.empty()) {
            writer.line("wrappers", "[]");
        }
        if (env.own_transforms && env.transforms.empty()) {
            writer.line("transforms", "[]");
        }
        write_lists(writer, "eval.env", env);
    }
}

void write_plugins(Writer& writer, const PluginsTable& plugins) {
    writer.table("[plugins]", plugins);
    if (!plugins.sha256.empty()) {
        writer.begin("[plugins.sha256]");
        for (const PinnedLibrary& pin : plugins.sha256) {
            writer.line(pin.library, toml_string(pin.sha256));
        }
    }
}

void write_buffers(Writer& writer, const std::vector<BufferTable>& buffers) {
    for (const BufferTable& buffer : buffers) {
        const std::string heading = buffer.name.empty() ? "[buffer]" : "[buffer." + buffer.name + "]";
        if (buffer.mix.empty()) {
            writer.component(heading, buffer.component, buffer);
            for (const ComponentTable& transform : buffer.transforms) {
                writer.component("[[" + buffer.component.path + ".transforms]]", transform);
            }
            continue;
        }
        std::string mix;
        for (const MixTable& part : buffer.mix) {
            mix += (mix.empty() ? "" : ", ") + toml_key(part.buffer) + " = " + to_toml(OptionValue(part.fraction));
        }
        writer.begin(heading);
        writer.line("mix", "{ " + mix + " }");
    }
}

template <class Table>
void write_names(Writer& writer, const char* key, const std::vector<Table>& names, std::string Table::* name,
                 std::string Table::* value) {
    std::string list;
    for (const Table& each : names) {
        list += (list.empty() ? "" : ", ") + toml_key(each.*name) + " = " + toml_string(each.*value);
    }
    if (!list.empty()) {
        writer.line(key, "{ " + list + " }");
    }
}

void write_objectives(Writer& writer, const std::vector<ObjectiveTable>& objectives) {
    for (const ObjectiveTable& objective : objectives) {
        const std::string& path = objective.component.path;
        writer.component(path == "objective" ? "[objective]" : "[[objective]]", objective.component, objective);
        write_names(writer, "batches", objective.batches, &BatchTable::name, &BatchTable::buffer);
        write_names(writer, "networks", objective.networks, &RoleTable::role, &RoleTable::network);
    }
}

}  // namespace

ResolvedComponent resolved(const ComponentTable& table, std::span<const OptionSchema> schemas,
                           std::vector<OptionValue> values) {
    ResolvedComponent out{.path = table.path, .options = {}};
    for (std::size_t i = 0; i < schemas.size() && i < values.size(); ++i) {
        out.options.emplace_back(schemas[i].name, std::move(values[i]));
    }
    return out;
}

std::string write_resolved(const Manifest& manifest, std::span<const ResolvedComponent> components) {
    Writer writer(components);
    writer.table("[run]", manifest.run);
    write_plugins(writer, manifest.plugins);
    writer.table("[isolation]", manifest.isolation);
    writer.component("[env]", manifest.env.component, manifest.env);
    write_lists(writer, "env", manifest.env);
    for (const PolicyTable& policy : manifest.policies) {
        writer.component("[policy." + policy.name + "]", policy.component, policy);
        if (policy.reference) {
            writer.table("[policy." + policy.name + ".reference]", *policy.reference);
        }
    }
    for (const ExplorationTable& exploration : manifest.explorations) {
        writer.component("[" + exploration.component.path + "]", exploration.component);
    }
    if (manifest.parameter_noise) {
        writer.table("[parameter_noise]", *manifest.parameter_noise);
    }
    if (manifest.collector) {
        writer.table("[collector]", *manifest.collector);
    }
    writer.table("[train]", manifest.train);
    write_buffers(writer, manifest.buffers);
    if (!manifest.columns.empty()) {
        writer.begin("[columns]");
        for (const StandInTable& column : manifest.columns) {
            writer.column(column);
        }
    }
    write_objectives(writer, manifest.objectives);
    writer.table("[optimiser]", manifest.optimiser);
    for (const OptimiserStage& stage : manifest.optimiser_stages) {
        writer.table("[optimiser." + stage.name + "]", stage.table);
    }
    writer.table("[target]", manifest.target);
    for (const HookTable& hook : manifest.hooks) {
        writer.component("[[hooks]]", hook.component, hook);
    }
    if (!manifest.schedules.empty()) {
        writer.begin("[schedule]");
        for (const ScheduleTable& schedule : manifest.schedules) {
            writer.schedule(schedule);
        }
    }
    write_eval(writer, manifest);
    writer.table("[log]", manifest.log);
    writer.table("[checkpoint]", manifest.checkpoint);
    writer.table("[cluster]", manifest.cluster);
    writer.table("[validate]", manifest.validate);
    return writer.take();
}

}  // namespace tenon
