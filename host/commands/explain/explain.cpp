// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "commands/explain/explain_parts.hpp"
#include "compute/graph/text.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/parse.hpp"
#include "run/start/setup.hpp"
#include "train/plan/acting_units.hpp"
#include "train/plan/column_readers.hpp"
#include "train/plan/env_lanes.hpp"
#include "train/plan/plans.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/units.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

std::string writer_of(const Wiring& w, const std::string& key, Role role) {
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.writes(key)) {
            return plan.unit.role;
        }
    }
    if (const std::string owner = owner_of_memory(w, key); !owner.empty()) {
        return owner;
    }
    if (role == Role::kAction || role == Role::kState) {
        const std::vector<ActingUnit> acting = acting_units(w);
        const bool explores =
            role == Role::kAction && !acting.empty() && acting_for(acting, key).exploration != nullptr;
        return acting_policy(w, key) + (explores ? ", " + acting_for(acting, key).exploration->role : "");
    }
    const EnvParts& parts = w.parts.training;
    const bool procedures = std::ranges::any_of(parts.transforms, [](const Part& p) { return !is_graph_transform(p); });
    return std::string("env") + (parts.wrappers.empty() ? "" : ", env.wrappers") +
           (procedures ? ", env.transforms" : "");
}

// The graph transforms that apply to readers of the column, and the transforms of sampled rows.
std::string through(const Wiring& w, const std::string& key) {
    std::string out;
    for (const graph::ColumnTransform& transform : w.transforms) {
        if (std::ranges::find(transform.keys, key) != transform.keys.end()) {
            out += ", read through " + transform.unit.component;
        }
    }
    for (const BufferPlan& buffer : w.buffers) {
        for (const Part& part : *buffer.transforms) {
            const std::vector<std::string> keys = keys_of(part);
            if (std::ranges::find(keys, key) != keys.end()) {
                out += ", sampled through " + part.info.name;
            }
        }
    }
    return out;
}

std::vector<ExplainedTask> tasks_of(const Wiring& w) {
    std::vector<ExplainedTask> out;
    const EnvParts& env = w.parts.training;
    const std::vector<std::uint32_t> lanes = training_lanes(env, static_cast<std::uint32_t>(w.manifest.env.lanes));
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < env.tasks.size(); ++i) {
        out.push_back({*(*env.tables)[i].name, env.tasks[i].info.name, first, lanes[i]});
        first += lanes[i];
    }
    return out;
}

std::vector<ExplainedColumn> columns_of(const Wiring& w, const Lanes& lanes) {
    // then there is a ring, and a storage with the kept frames
    const bool keeps = w.collecting() != nullptr && w.collecting()->keeps();
    const std::uint64_t rows =
        (std::uint64_t{storage_slots(w)} + slots_held_back(w)) * static_cast<std::uint64_t>(w.manifest.env.lanes) +
        (keeps ? kept_rows(w) + 1 : 0) + (w.pools() ? 2 * static_cast<std::uint64_t>(w.manifest.env.lanes) : 0);
    std::vector<ExplainedColumn> out;
    for (const StorageColumn& column : w.stored) {
        const auto extents = column.row.extents();
        const std::uint64_t row = row_bytes(column);
        const std::uint64_t copies =
            column.role == Role::kObservation ? 2 : 1;  // final observations are kept separately
        out.push_back({.key = column.key,
                       .dtype = std::string(name_of(column.dtype)),
                       .shape = {extents.begin(), extents.end()},
                       .writer = writer_of(w, column.key, column.role) + through(w, column.key),
                       .readers = readers_of(w, lanes, column.key, column.role),
                       .row_bytes = row,
                       .bytes = row * rows * copies});
    }
    for (const char* flag : {"terminated", "truncated", "is_init"}) {
        const bool by_env = std::string_view(flag) != "is_init";
        out.push_back({.key = flag,
                       .dtype = std::string(name_of(DType::kBool)),
                       .shape = {},
                       .writer = by_env ? "env" : "host",
                       .readers = readers_of(w, lanes, flag, Role::kExtra),
                       .row_bytes = 1,
                       .bytes = rows});
    }
    return out;
}

// The stage that trains a network; null if none does.
const StagePlan* owner_of(const Wiring& w, std::uint32_t network) {
    for (const ObjectivePlan& plan : w.objectives) {
        for (const StagePlan& stage : plan.stages) {
            if (std::ranges::find(stage.owned, network) != stage.owned.end()) {
                return &stage;
            }
        }
    }
    return nullptr;
}

// The component of an objective that has its own parameters.
std::string component_of(const Wiring& w, const std::string& role) {
    const auto plan =
        std::ranges::find_if(w.objectives, [&](const ObjectivePlan& one) { return one.unit.role == role; });
    return plan == w.objectives.end() ? "" : plan->unit.component;
}

std::vector<ExplainedStandIn> stand_ins_of(const Wiring& w) {
    std::vector<ExplainedStandIn> out;
    for (const StandInTable& table : w.manifest.columns) {
        ExplainedStandIn told{.key = table.key, .of = table.of, .stored = false, .readers = {}};
        for (const ObjectivePlan& plan : w.objectives) {
            if (std::ranges::find(plan.stand_ins, table.key, &graph::StandIn::key) != plan.stand_ins.end()) {
                told.readers.push_back(plan.unit.component);
            }
            told.stored = told.stored || std::ranges::any_of(plan.columns, [&](const graph::Column& column) {
                              return column.spec.key == table.key;
                          });
        }
        out.push_back(std::move(told));
    }
    return out;
}

// The versions of a network's parameters other than live and target.
std::vector<std::string> copies_of(const Wiring& w, const std::string& role) {
    std::vector<std::string> out;
    if (w.layouts.reads(role, ParameterSlab::kReference)) {
        const std::int64_t every = reference_every(w.manifest, role);
        out.push_back(every == 0 ? "reference" : "reference every " + std::to_string(every));
    }
    if (w.layouts.reads(role, ParameterSlab::kBehaviour)) {
        out.emplace_back("behaviour");
    }
    if (w.layouts.reads(role, ParameterSlab::kPerturbed)) {
        out.emplace_back("perturbed");
    }
    return out;
}

std::vector<ExplainedNetwork> networks_of(const Wiring& w) {
    std::vector<ExplainedNetwork> out;
    for (std::size_t i = 0; i < w.layouts.networks.size(); ++i) {
        const NetworkLayout& layout = w.layouts.networks[i];
        const auto policy = std::find_if(w.manifest.policies.begin(), w.manifest.policies.end(),
                                         [&](const PolicyTable& table) { return table.name == layout.role; });
        const bool given = policy != w.manifest.policies.end();  // otherwise these are the objective's own parameters
        const StagePlan* const owner = owner_of(w, static_cast<std::uint32_t>(i));
        ExplainedNetwork network{.role = layout.role,
                                 .component = given ? policy->component.ref.plugin : component_of(w, layout.role),
                                 .members = layout.members,
                                 .trainable = 0,
                                 .state = 0,
                                 .target = w.layouts.reads(layout.role, ParameterSlab::kTarget),
                                 .copies = copies_of(w, layout.role),
                                 .frozen = given && policy->freeze,
                                 .init = given ? policy->init : "",
                                 .bytes = 0};
        for (const Parameter& parameter : layout.parameters) {
            (parameter.trainable ? network.trainable : network.state) += parameter.size;
        }
        // The gradient and the optimiser's state.
        const std::size_t trained = owner == nullptr ? 0 : 1 + state_names(owner->optimiser).size();
        const bool lags = w.layouts.reads(layout.role, ParameterSlab::kBehaviour);
        const std::size_t versions =
            1 + (network.target ? 1 : 0) + network.copies.size() + (lags ? static_cast<std::size_t>(w.lag()) : 0);
        network.bytes = (layout.size * versions + layout.trainable_size * trained) * size_of(w.real());
        out.push_back(std::move(network));
    }
    return out;
}

using Values = std::map<std::string, std::string>;

const std::string* find(const Values& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? nullptr : &found->second;
}

// The tables of a stage's optimiser, those with priority first.
std::vector<std::string> optimisers_of(const ObjectivePlan& plan, const std::string& stage) {
    return plan.name.empty() ? std::vector<std::string>{"optimiser." + stage, "optimiser"}
                             : std::vector<std::string>{"optimiser." + plan.name + "." + stage,
                                                        "optimiser." + plan.name, "optimiser"};
}

std::string of_optimiser(const Values& values, const std::vector<std::string>& tables, const std::string& key) {
    for (const std::string& table : tables) {
        if (const std::string* const value = find(values, table + "." + key)) {
            return *value;
        }
    }
    return "";
}

// The learning rate of a stage, or that a schedule changes it.
std::string rate_of(const Values& values, const std::vector<std::string>& tables) {
    for (const std::string& table : tables) {
        const std::string path = table + ".lr";
        const auto scheduled = values.lower_bound("schedule." + path + ".");
        if (scheduled != values.end() && scheduled->first.starts_with("schedule." + path + ".")) {
            return "by schedule";
        }
        if (find(values, path) != nullptr) {
            break;  // its own schedule has priority over a shared one
        }
    }
    return of_optimiser(values, tables, "lr");
}

std::string without_quotes(const std::string& text) {
    return text.size() < 2 || text.front() != '"' ? text : text.substr(1, text.size() - 2);
}

void add_stages(const Wiring& w, const ObjectivePlan& plan, const Values& values, std::vector<ExplainedStage>& out) {
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const graph::Stage& stage = plan.update.graph.stages[i];
        const std::vector<std::string> tables = optimisers_of(plan, stage.name);
        ExplainedStage told{
            .name = plan.name.empty() ? stage.name : plan.name + "." + stage.name,
            .losses = {},
            .owns = {},
            .optimiser = without_quotes(of_optimiser(values, tables, "kind")) + ", lr " + rate_of(values, tables),
            .every = stage.every,
            .unit = stage.unit};
        for (const graph::Loss& loss : plan.update.graph.losses) {
            if (loss.stage == i) {
                told.losses.push_back(loss.name);
            }
        }
        for (const std::uint32_t owned : plan.stages[i].owned) {
            told.owns.push_back(w.layouts.networks[owned].role);
        }
        out.push_back(std::move(told));
    }
}

// Adds the owned networks that the run has determined to stages that name none.
graph::Graph with_owners(graph::Graph graph, const Wiring& w, const std::vector<StagePlan>& stages) {
    for (std::size_t i = 0; i < graph.stages.size() && i < stages.size(); ++i) {
        std::vector<std::string> owners;
        for (const std::uint32_t owned : stages[i].owned) {
            owners.push_back(w.layouts.networks[owned].role);
        }
        graph.stages[i].owns = std::move(owners);
    }
    return graph;
}

std::vector<ExplainedPlugin> plugins_of(const Wiring& w) {
    std::vector<ExplainedPlugin> out;
    each_part(w.parts, [&](const Part& part) {
        const std::string name = part.info.name.substr(0, part.info.name.find('/'));
        const PluginFile& file = *part.info.plugin;
        if (std::ranges::find(out, name, &ExplainedPlugin::name) == out.end()) {
            out.push_back({.name = name, .path = file.path.string(), .in_place_of = file.in_place_of.string()});
        }
    });
    return out;
}

std::vector<ExplainedHook> hooks_of(const Wiring& w) {
    std::vector<ExplainedHook> out;
    for (const HookPlan& hook : w.hooks) {
        ExplainedHook& told = out.emplace_back();
        told.component = hook.component;
        for (const std::uint32_t event : kHookEvents) {
            if (hook.wants(event)) {
                told.events.emplace_back(name_of_event(event));
            }
        }
        told.reads = hook.reads;
        told.reads.insert(told.reads.end(), hook.columns.begin(), hook.columns.end());
        told.reports = hook.metrics;
        told.moves = hook.options;
    }
    return out;
}

}  // namespace

Explanation explain(const Wiring& wiring, const Running& running) {
    Document resolved;
    if (Result<TomlTable> read = parse_toml(resolved_manifest(wiring), "")) {
        resolved.root = std::move(*read);
    }
    const Values values = flatten(resolved);
    Explanation out{.plugins = plugins_of(wiring),
                    .tasks = tasks_of(wiring),
                    .columns = columns_of(wiring, *running.lanes),
                    .buffers = buffers_of(wiring, running),
                    .stand_ins = stand_ins_of(wiring),
                    .categories = categories_of(wiring),
                    .networks = networks_of(wiring),
                    .layers = layers_of(wiring),
                    .stages = {},
                    .schedules = {},
                    .hooks = hooks_of(wiring),
                    .loop = loop_of(wiring),
                    .device = device_of(wiring)};
    if (const TomlNode* schedules = resolved.root.find("schedule"); schedules != nullptr && schedules->table()) {
        for (const TomlEntry& entry : schedules->table()->entries) {
            out.schedules.push_back({entry.key, to_toml(entry.node)});
        }
    }
    for (const ObjectivePlan& plan : wiring.objectives) {
        add_stages(wiring, plan, values, out.stages);
        for (const Port& port : plan.update.inputs) {
            const auto column = std::ranges::find(wiring.stored, port.key, &StorageColumn::key);
            const bool by_sequence = column != wiring.stored.end() && column->earlier > 0;
            const std::int64_t steps = by_sequence ? sequence_length(wiring, plan) : 1;
            out.minibatch_bytes += row_bytes(port) * static_cast<std::uint64_t>(plan.train.minibatch / steps);
        }
    }
    if (const BufferTable* const ring = collecting_buffer(wiring.manifest); ring != nullptr && !ring->path.empty()) {
        out.disk_path = ring->path;
        out.disk_bytes = storage_kind(wiring).disk_bytes(storage_request(wiring));
    }
    for (const ExplainedColumn& column : out.columns) {
        out.storage_bytes += out.disk_path.empty() ? column.bytes : 0;
    }
    for (const ExplainedBuffer& buffer : out.buffers) {
        out.storage_bytes += buffer.bytes;
    }
    for (const ExplainedNetwork& network : out.networks) {
        out.network_bytes += network.bytes;
    }
    return out;
}

Result<std::string> graph_text(const Wiring& wiring, std::string_view program) {
    struct Named {
        std::string name;
        const BuiltProgram* built;
        const ObjectivePlan* plan;
    };
    std::vector<Named> programs = {
        {"act", &wiring.act, nullptr}, {"mode", &wiring.mode, nullptr}, {"evaluate", &wiring.evaluate, nullptr}};
    for (const ObjectivePlan& plan : wiring.objectives) {
        const std::string of = plan.name.empty() ? "" : plan.name + ".";
        programs.push_back({of + (plan.by_batch() ? "prepare" : "store"), &plan.prepare, &plan});
        programs.push_back({of + "update", &plan.update, &plan});
        programs.push_back({of + "conclude", &plan.conclude, &plan});
    }
    std::string existing;
    for (const auto& [name, built, plan] : programs) {
        if (built->exists() && name == program) {
            const graph::Graph shown = plan == nullptr ? built->graph : with_owners(built->graph, wiring, plan->stages);
            return graph::text(shown, graph::Places::kShown);
        }
        existing += built->exists() ? (existing.empty() ? "" : ", ") + std::string(name) : "";
    }
    return input_problem("the run has no program '" + std::string(program) + "'" +
                         (existing.empty() ? "; it has no graphs" : " (it has: " + existing + ")"));
}

}  // namespace tenon
