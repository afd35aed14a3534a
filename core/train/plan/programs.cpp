// SPDX-License-Identifier: Apache-2.0
#include "train/plan/programs.hpp"

#include <algorithm>
#include <utility>

#include "base/data/key.hpp"
#include "compute/exec/rows.hpp"
#include "compute/gradient/derivative.hpp"
#include "plugins/plugin/error_text.hpp"
#include "train/plan/written_columns.hpp"

namespace tenon {
namespace {

using graph::Column;
using graph::Context;
using graph::Dim;
using graph::Graph;
using graph::Type;
using graph::Unit;
using graph::ValueId;

Context context_of(const BuildSite& site, std::string program, std::vector<Dim> leading,
                   const std::vector<Column>& columns, bool trains) {
    return Context{.program = std::move(program),
                   .leading = std::move(leading),
                   .extent = site.extent,
                   .columns = &columns,
                   .networks = site.networks,
                   .transforms = site.transforms,
                   .groups = site.groups,
                   .stand_ins = site.stand_ins,
                   .stood_in = site.stood_in,
                   .trains = trains,
                   .told = site.told,
                   .declare = [layouts = site.layouts](
                                  const graph::ParameterRequest& request) { return layouts->declare(request); },
                   .take_error = [] { return take_error(); },
                   .differentiate = &graph::add_derivative};
}

std::vector<Port> inputs_of(const Graph& graph, const std::vector<Column>& columns, DType real) {
    std::vector<Port> out;
    for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
        const graph::Node& node = graph.nodes[i];
        if (!node.is(graph::OpId::kColumn_1)) {
            continue;
        }
        const std::string& key = graph::string_attribute(node, "key");
        const auto memory = std::ranges::find(graph.memories, key, &graph::Memory::key);
        if (memory != graph.memories.end()) {
            out.push_back({key, real, Shape(memory->shape)});
            continue;
        }
        const auto column =
            std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.spec.key == key; });
        out.push_back({key, column->spec.dtype, column->spec.shape});
    }
    return out;
}

// The reduction of losses reads these, even if the objective does not.
void add_reduction_columns(std::vector<Port>& inputs, const std::vector<Column>& columns, bool burns_in) {
    for (const Column& column : columns) {
        const Spec& spec = column.spec;
        const bool mask = spec.key == "mask" && spec.dtype == DType::kBool;
        const bool weight = spec.key == "weight" && is_float(spec.dtype);
        const bool flags = burns_in && spec.key == "is_init";
        const auto same_key = [&](const Port& port) { return port.key == spec.key; };
        if ((mask || weight || flags) && spec.shape.rank == 0 && std::none_of(inputs.begin(), inputs.end(), same_key)) {
            inputs.push_back({spec.key, spec.dtype, {}});
        }
    }
}

// An output has the dtype of its column, if there is one (for example the action).
std::vector<Port> outputs_of(const Graph& graph, const std::vector<Column>& columns, DType real) {
    std::vector<Port> out;
    for (const graph::Named& write : graph.writes) {
        const Type& type = graph.type(write.value);
        const auto column =
            std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.spec.key == write.name; });
        const DType dtype = column == columns.end() ? stored_as(type.kind, real) : column->spec.dtype;
        out.push_back({write.name, dtype, Shape(type.sizes())});
    }
    return out;
}

// Whether the program reads a memory of the network.
bool is_read(const Graph& graph, const Unit& network) {
    return std::ranges::any_of(graph.memories, [&](const graph::Memory& memory) {
        return within(memory.key, join_keys(network.group, network.role));
    });
}

// Steps the networks with a memory other than the policy, unless the policy has stepped them by reading their columns.
// If nothing is collected, only those that the policy reads. A draw that the policy has seen is the one that is
// remembered.
void run_along(graph::Builder& builder, const BuildSite& site, const Unit& policy, ValueId action, bool collects) {
    for (const Unit& network : *site.networks) {
        if (!collects && !is_read(builder.graph(), network)) {
            continue;
        }
        const auto is_behind = [&](const tn_function* function) {
            const auto inputs = graph::split_names(function->inputs);
            const bool known = inputs.empty() || (inputs.size() == 1 && inputs.front() == "action");
            return known && builder.remembers_more(network, function->name, std::span(&action, inputs.size()));
        };
        const auto found =
            &network == &policy ? network.functions.end() : std::ranges::find_if(network.functions, is_behind);
        if (found != network.functions.end()) {
            const std::size_t inputs = graph::split_names((*found)->inputs).size();
            builder.build(network, (*found)->name, std::span(&action, inputs), collects ? "act" : "eval",
                          graph::Builder::Draws::kShared);
        }
    }
}

bool reads_parameters(const graph::Node& node) {
    return node.is(graph::OpId::kParameter_1) || node.is(graph::OpId::kState_1);
}

}  // namespace

Problem brought_in(Problem problem, const Place& place) {
    if (!place.file.empty()) {
        problem.also.push_back(place);
    }
    return problem;
}

Status Layouts::declare(const graph::ParameterRequest& request) {
    NetworkLayout* layout = find(request.role);
    if (layout == nullptr) {
        networks.push_back(NetworkLayout{.role = std::string(request.role),
                                         .members = std::max<std::int64_t>(request.agents, 1),
                                         .ensemble = request.agents > 0});
        layout = &networks.back();
    }
    if (const ParameterSlab slab = parameter_slab(request.slab); slab != ParameterSlab::kLive) {
        copies.emplace(request.role, slab);
    }
    return tenon::declare(*layout, Parameter{.name = std::string(request.name),
                                             .shape = request.shape,
                                             .init = std::string(request.init),
                                             .scale = request.scale,
                                             .trainable = request.trainable});
}

NetworkLayout* Layouts::find(std::string_view role) {
    const auto found = std::find_if(networks.begin(), networks.end(),
                                    [&](const NetworkLayout& layout) { return layout.role == role; });
    return found == networks.end() ? nullptr : &*found;
}

BuiltProgram build_act(const BuildSite& site, const Unit& policy, std::string_view function, bool collects,
                       const Unit* exploration, const std::vector<Column>& columns, Problems& problems) {
    graph::Builder builder(context_of(site, "acting", {graph::kLanes}, columns, false), problems);
    const std::vector<ValueId> values = builder.build(policy, function, {}, collects ? "act" : "eval");
    if (values.empty()) {
        return {};
    }
    const auto names = graph::split_names(graph::find_function(policy, function)->outputs);
    const auto named = std::find(names.begin(), names.end(), "action");  // a mean has another name
    const auto at = named == names.end() ? std::size_t{0} : static_cast<std::size_t>(named - names.begin());
    ValueId action = values[at];
    const Unit* last = &policy;
    if (exploration != nullptr && action != 0) {
        const std::vector<ValueId> explored = builder.build(*exploration, "explore", std::span(&action, 1), "act");
        action = explored.empty() ? 0 : explored.front();
        last = exploration;
    }
    const std::size_t before = problems.size();
    const std::vector<graph::Named> pieces = pieces_of(builder, action, *last, problems);
    const bool is_misfit = problems.size() != before;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i != at || pieces.empty()) {
            builder.write(i == at ? "action" : std::string(names[i]), i == at ? action : values[i]);
        }
    }
    for (const graph::Named& piece : pieces) {
        builder.write(piece.name, piece.value);
    }
    if (action != 0) {
        run_along(builder, site, policy, action, collects);
    }
    builder.check_memories();
    for (const graph::Named& memory : std::vector(builder.graph().remembered)) {
        builder.write(memory.name, memory.value);
    }
    BuiltProgram out{.name = collects             ? "act"
                             : function == "mode" ? "mode"
                                                  : "evaluate",
                     .graph = builder.take(),
                     .place = policy.place,
                     .failed = builder.failed() || is_misfit};
    if (!out.failed) {
        if (check_writes(out.graph, {graph::kLanes}, policy, *site.networks, problems)) {
            check_actions(out.graph, policy, *last, *site.networks, columns, problems);
        }
        check_outputs(out.graph, policy, columns, problems);
        for (const graph::Named& memory : out.graph.remembered) {
            out.remembered.push_back(memory.name);
        }
        out.inputs = inputs_of(out.graph, columns, site.real);
        out.outputs = outputs_of(out.graph, columns, site.real);
    }
    return out;
}

BuiltProgram build_by_hand(const BuildSite& site, std::string name, const std::vector<Column>& columns,
                           const std::function<void(graph::Builder&)>& assemble, Problems& problems,
                           const std::vector<Dim>& leading) {
    Context context = context_of(site, name, leading, columns, false);
    context.forgets = site.forgets;
    graph::Builder builder(context, problems);
    assemble(builder);
    BuiltProgram out{
        .name = std::move(name), .graph = builder.take(), .inputs = {}, .outputs = {}, .failed = builder.failed()};
    if (!out.failed) {
        out.inputs = inputs_of(out.graph, columns, site.real);
        out.outputs = outputs_of(out.graph, columns, site.real);
    }
    return out;
}

BuiltProgram with_version(BuiltProgram program, const std::string& slab) {
    for (graph::Node& node : program.graph.nodes) {
        if (reads_parameters(node)) {
            std::ranges::find(node.attributes, "slab", &graph::Attribute::key)->value = slab;
        }
    }
    return program;
}

std::vector<std::string> networks_of(const Graph& graph) {
    std::vector<std::string> out;
    for (const graph::Node& node : graph.nodes) {
        if (reads_parameters(node)) {
            const std::string& role = graph::string_attribute(node, "role");
            if (std::ranges::find(out, role) == out.end()) {
                out.push_back(role);
            }
        }
    }
    return out;
}

std::vector<Column> memory_columns(const BuiltProgram& act, DType real) {
    std::vector<Column> out;
    const auto add = [&](const graph::Memory& memory) -> Column& {
        Spec spec;
        spec.key = memory.key;
        spec.group = memory.group;
        spec.role = Role::kState;
        spec.dtype = real;
        spec.shape = Shape(std::span<const std::int64_t>(memory.shape));
        return out.emplace_back(std::move(spec), "acting");
    };
    for (const graph::Memory& memory : act.graph.memories) {
        if (memory.of != graph::Memory::Of::kWindow) {
            add(memory);
        }
    }
    for (const graph::Memory& history : act.graph.histories) {
        Column& column = add(history);
        column.earlier = history.shape.front();
        column.agents_at = 1;
    }
    return out;
}

BuiltProgram build_update(const BuildSite& site, const Unit& objective, const std::vector<Dim>& leading,
                          const std::vector<Column>& columns, Problems& problems) {
    Context context = context_of(site, "update", leading, columns, true);
    context.burn_in = site.burn_in;
    context.forgets = site.forgets;
    graph::Builder builder(context, problems);
    builder.build(objective, "update", {}, "train");
    BuiltProgram out{.name = "update", .graph = builder.take(), .place = objective.place, .failed = builder.failed()};
    if (!out.failed) {
        check_writes(out.graph, leading, objective, *site.networks, problems);
        if (out.graph.losses.empty()) {
            problems.push_back(
                plugin_problem(objective.component + " has no losses: its update calls rows nowhere", objective.place));
        }
        out.inputs = inputs_of(out.graph, columns, site.real);
        add_reduction_columns(out.inputs, columns, out.graph.burn_in > 0);
        out.outputs = outputs_of(out.graph, columns, site.real);
    }
    return out;
}

BuiltProgram build_whole_batch(const BuildSite& site, const Unit& objective, const std::string& function,
                               const std::vector<Column>& columns, Problems& problems) {
    graph::Builder builder(context_of(site, function, {graph::kTime, graph::kLanes}, columns, false), problems);
    builder.build(objective, function, {}, "eval");
    BuiltProgram out{.name = function,
                     .graph = builder.take(),
                     .place = objective.place,
                     .failed = builder.failed(),
                     .writes_state = true};
    if (!out.failed) {
        check_writes(out.graph, {graph::kTime, graph::kLanes}, objective, *site.networks, problems);
        out.inputs = inputs_of(out.graph, columns, site.real);
        out.outputs = outputs_of(out.graph, columns, site.real);
    }
    return out;
}

}  // namespace tenon
