// SPDX-License-Identifier: Apache-2.0
#include "train/plan/units.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "experience/env/lanes.hpp"
#include "train/plan/train_table.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

Result<graph::Unit> make_unit(Wiring& w, const Part& part, std::string role) {
    w.graph_instances.push_back(TENON_TRY(instantiate(part, 0, w.seed(), "")));
    Result<graph::Unit> unit = unit_of(part, w.graph_instances.back(), std::move(role), w.live);
    if (unit) {
        unit->place = part.table->ref.place;
        unit->group = part.table->group;
    }
    return unit;
}

bool offers_graph(const Part& part) {
    return part.loaded->offers("tenon.graph/1");
}

void make_procedure(Wiring& w, const Part& part, Running& running, Problems& problems) {
    if (w.procedure != nullptr) {
        problems.push_back(
            input_problem("two policies are procedures that act; a run can have only one", part.table->ref.place));
        problems.back().also.push_back(w.procedure->table->ref.place);
        return;
    }
    Result<Instance> made = instantiate(part, static_cast<std::uint32_t>(w.manifest.env.lanes), w.seed(), "");
    if (is_done(made, problems)) {
        running.procedure.emplace(std::move(*made));
        w.procedure = &part;
    }
}

// Adds the columns that a network provides to others.
void provide(graph::Unit& unit, const PolicyTable& table, const Place& place, Problems& problems) {
    const std::vector<std::string_view> functions = graph::column_functions(unit);
    if (table.out.size() > functions.size()) {
        problems.push_back(input_problem("[policy." + table.name + "] has " + counted(table.out.size(), "name") +
                                             " in out, but " + unit.component + " has " +
                                             counted(functions.size(), "function") + " that others can read",
                                         place));
        return;
    }
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const std::string function(functions[i]);
        unit.provides.push_back({table.name + "." + function, function});
        if (i < table.out.size()) {
            unit.provides.push_back({table.out[i], function});
        }
    }
}

void add_network(Wiring& w, const Part& part, const PolicyTable& table, Running& running, Problems& problems) {
    if (!offers_graph(part)) {
        make_procedure(w, part, running, problems);
        return;
    }
    Result<graph::Unit> unit = make_unit(w, part, table.name);
    if (!is_done(unit, problems)) {
        return;
    }
    unit->members = table.count;
    unit->own = table.weights == "own";
    provide(*unit, table, place_of(w.manifest, "policy." + table.name + ".out"), problems);
    w.layouts.networks.push_back(
        NetworkLayout{.role = table.name, .members = table.count, .ensemble = table.count > 1});
    w.networks.push_back(std::move(*unit));
}

void add_transform(Wiring& w, const Part& part, Problems& problems) {
    Result<graph::Unit> unit = make_unit(w, part, part.table->path);
    if (!is_done(unit, problems)) {
        return;
    }
    std::vector<std::string> keys = keys_of(part);
    const tn_function* const apply = graph::find_function(*unit, "apply");
    if (apply == nullptr || graph::split_names(apply->inputs).size() != 1 ||
        graph::split_names(apply->outputs).size() != 1 || keys.empty()) {
        problems.push_back(
            plugin_problem(part.info.name + " is a graph as a transform: it needs a function apply with one input and "
                                            "one output, and an option 'column' or 'columns'",
                           part.table->ref.place));
        return;
    }
    w.transforms.push_back({std::move(*unit), std::move(keys)});
}

// Procedures come first and graphs last: graphs are applied between the stored columns and the programs.
void add_transforms(Wiring& w, Problems& problems) {
    const Part* last_graph = nullptr;
    for (const Part& part : w.parts.training.transforms) {
        if (is_graph_transform(part)) {
            last_graph = &part;
            add_transform(w, part, problems);
        } else if (last_graph != nullptr) {
            problems.push_back(input_problem(last_graph->info.name +
                                                 " is a graph and must come after all procedures, but " +
                                                 part.info.name + " is a procedure that comes after it: exchange them",
                                             part.table->ref.place));
        }
    }
    for (std::size_t i = 0; i < w.parts.evaluations.size(); ++i) {
        for (const Part& part : w.parts.evaluations[i].transforms) {
            if (w.manifest.eval.envs[i].own_transforms && is_graph_transform(part)) {
                problems.push_back(
                    input_problem(part.info.name + " is a graph, which the policy applies in training and evaluations: "
                                                   "list it in [[env.transforms]] only",
                                  part.table->ref.place));
            }
        }
    }
}

}  // namespace

std::vector<std::string> keys_of(const Part& part) {
    for (std::size_t i = 0; i < part.values.size(); ++i) {
        const std::string& name = part.schema()[i].name;
        if (const auto* one = std::get_if<std::string>(&part.values[i]); one != nullptr && name == "column") {
            return {*one};
        }
        if (const auto* list = std::get_if<std::vector<std::string>>(&part.values[i]); list && name == "columns") {
            return *list;
        }
    }
    return {};
}

Result<graph::Unit> unit_of(const Part& part, const Instance& instance, std::string role, const LivePlan& live) {
    graph::Unit unit{.role = std::move(role),
                     .component = part.info.name,
                     .place = {},
                     .api = instance.interface<tn_graph_component_api>("tenon.graph/1"),
                     .self = instance.self(),
                     .functions = {},
                     .options = bind_options(part, live),
                     .provides = {},
                     .members = 1};
    std::vector<graph::FusedKernel> kernels = TENON_TRY(graph::kernels_of(
        instance.interface<tn_fused_api>("tenon.fused/1"), instance.self(), instance.name(), instance.place()));
    unit.kernels = std::move(kernels);
    std::vector<const tn_function*> functions =
        TENON_TRY(graph::functions_of(*unit.api, unit.self, instance.name(), instance.place()));
    unit.functions = std::move(functions);
    return unit;
}

bool names_column(const Part& part, const std::string& key) {
    return std::ranges::any_of(part.values, [&](const OptionValue& value) {
        if (const auto* one = std::get_if<std::string>(&value)) {
            return *one == key;
        }
        const auto* list = std::get_if<std::vector<std::string>>(&value);
        return list != nullptr && std::ranges::find(*list, key) != list->end();
    });
}

bool may_change(const Part& part, const Lanes& lanes, std::size_t transform, const std::string& key) {
    const std::optional<bool> told = lanes.changes(transform, key);
    return told ? *told : names_column(part, key) || keys_of(part).empty();
}

bool is_graph_transform(const Part& part) {
    return !part.loaded->offers("tenon.transform/1") && offers_graph(part);
}

bool all_loaded(const Parts& parts) {
    bool all = true;
    each_part(parts, [&](const Part& part) { all = all && part.loaded.has_value(); });
    return all;
}

void make_units(Wiring& w, Running& running, Problems& problems) {
    add_transforms(w, problems);
    for (std::size_t i = 0; i < w.parts.policies.size(); ++i) {
        add_network(w, w.parts.policies[i], w.manifest.policies[i], running, problems);
    }
    const auto one = [&](const Part& part, std::string role, std::optional<graph::Unit>& out) {
        Result<graph::Unit> unit = make_unit(w, part, std::move(role));
        if (is_done(unit, problems)) {
            out = std::move(*unit);
        }
    };
    for (const Part& part : w.parts.explorations) {
        std::optional<graph::Unit> unit;
        if (!offers_graph(part)) {
            problems.push_back(input_problem("[" + part.table->path + "] needs a policy with a function explore, but " +
                                                 part.info.name + " is a procedure",
                                             part.table->ref.place));
        } else if (one(part, part.table->path, unit); unit) {
            w.explorations.push_back(std::move(*unit));
        }
    }
    for (std::size_t i = 0; i < w.parts.objectives.size(); ++i) {
        const ObjectiveTable& table = w.manifest.objectives[i];
        std::optional<graph::Unit> unit;
        one(w.parts.objectives[i], table.name.value_or("objective"), unit);
        if (unit) {
            ObjectivePlan& plan = w.objectives.emplace_back();
            plan.unit = std::move(*unit);
            plan.unit.networks = mapped<graph::RoleOf>(table.networks, [](const RoleTable& each) {
                return graph::RoleOf{.role = each.role, .network = each.network};
            });
            plan.name = w.parts.objectives.size() > 1 ? table.name.value_or("") : "";
            plan.train = train_of(w.manifest, table);
            plan.every = table.every;
            plan.batches = batches_of(w.manifest, table);
        }
    }
}

bool acts_with_action(const graph::Unit& unit) {
    const tn_function* sample = graph::find_function(unit, "sample");
    if (sample == nullptr || graph::find_function(unit, "mode") == nullptr) {
        return false;
    }
    const auto outputs = graph::split_names(sample->outputs);
    return std::find(outputs.begin(), outputs.end(), "action") != outputs.end();
}

}  // namespace tenon
