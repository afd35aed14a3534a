// SPDX-License-Identifier: Apache-2.0
#include "train/plan/programs.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

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
                   .called = site.called,
                   .trains = trains,
                   .told = site.told,
                   .declare = [layouts = site.layouts](
                                  const graph::ParameterRequest& request) { return layouts->declare(request); },
                   .take_error = [] { return take_error(); },
                   .differentiate = &graph::add_derivative};
}

// "the objective 'hunt' of the 3 agents of 'hunters'".
std::string in_words(const BuildSite& site, const Unit& objective) {
    std::string out = "the objective '" + objective.role + "'";
    for (std::size_t i = 0; site.groups != nullptr && i < site.groups->size(); ++i) {
        const graph::Group& group = (*site.groups)[i];
        if (group.name == objective.group) {
            out += " of the " + std::to_string(group.agents) + " agents of '" + group.name + "'";
        }
    }
    return out;
}

// The context of an objective's program. If its calls give a network's parameters other sizes than those of an earlier
// objective, the problem names both, because sizes may be those of their groups.
Context context_for(const BuildSite& site, const Unit& objective, std::string program, std::vector<Dim> leading,
                    const std::vector<Column>& columns, bool trains) {
    Context out = context_of(site, std::move(program), std::move(leading), columns, trains);
    out.declare = [layouts = site.layouts, words = in_words(site, objective)](const graph::ParameterRequest& request) {
        const std::string& first = layouts->callers.try_emplace(std::string(request.role), words).first->second;
        Status agreed = layouts->declare(request);
        if (!agreed && first != words) {
            agreed.error().fault = Fault::kInput;  // of the manifest, not of the plugin
            agreed.error().sentence = first + " and " + words + " call it with other sizes: " + agreed.error().sentence;
        }
        return agreed;
    };
    return out;
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
        const auto column = std::ranges::find_if(columns, [&](const Column& c) { return c.spec.key == key; });
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
        if ((mask || weight || flags) && spec.shape.rank == 0 &&
            std::ranges::find(inputs, spec.key, &Port::key) == inputs.end()) {
            inputs.push_back({spec.key, spec.dtype, {}});
        }
    }
}

// An output has the dtype of its column, if there is one (for example the action).
std::vector<Port> outputs_of(const Graph& graph, const std::vector<Column>& columns, DType real) {
    std::vector<Port> out;
    for (const graph::Named& write : graph.writes) {
        const Type& type = graph.type(write.value);
        const auto column = std::ranges::find_if(columns, [&](const Column& c) { return c.spec.key == write.name; });
        const DType dtype = column == columns.end() ? stored_as(type.kind, real) : column->spec.dtype;
        out.push_back({write.name, dtype, Shape(type.sizes())});
    }
    return out;
}

// The program of a graph that has been built, with its ports unless it has failed.
BuiltProgram program_of(const BuildSite& site, graph::Builder& builder, std::string name, const Place& place,
                        const std::vector<Column>& columns, bool failed = false) {
    BuiltProgram out{
        .name = std::move(name), .graph = builder.take(), .place = place, .failed = failed || builder.failed()};
    if (!out.failed) {
        out.inputs = inputs_of(out.graph, columns, site.real);
        out.outputs = outputs_of(out.graph, columns, site.real);
    }
    return out;
}

// The action of a policy, after its exploration.
struct Acted {
    ActingUnit acting;
    ValueId action = 0;
    bool is_misfit = false;  // it does not fit the env's columns, which has been reported
    std::size_t first = 0;   // of its writes
    std::size_t after = 0;   // behind its last one
};

// Whether the program reads a memory of the network.
bool is_read(const Graph& graph, const Unit& network) {
    return std::ranges::any_of(graph.memories, [&](const graph::Memory& memory) {
        return within(memory.key, join_keys(network.group, network.role));
    });
}

// The action that a network of that group knows; 0 if there are several.
ValueId action_for(std::span<const Acted> acted, const std::string& group) {
    const auto found = std::ranges::find(acted, group, [](const Acted& one) { return one.acting.policy->group; });
    return found != acted.end() ? found->action : acted.size() == 1 ? acted.front().action : 0;
}

// Steps the networks with a memory other than the policies, unless these have stepped them by reading their columns. If
// nothing is collected, only those that a policy reads. If a policy has read a draw, the network remembers the same
// draw.
void run_along(graph::Builder& builder, const BuildSite& site, std::span<const Acted> acted, bool collects) {
    for (const Unit& network : *site.networks) {
        const auto is_it = [&](const Acted& one) { return one.acting.policy == &network; };
        if (std::ranges::any_of(acted, is_it) || (!collects && !is_read(builder.graph(), network))) {
            continue;
        }
        const ValueId action = action_for(acted, network.group);
        const auto is_behind = [&](const tn_function* function) {
            const auto inputs = graph::split_names(function->inputs);
            const bool known = inputs.empty() || (inputs.size() == 1 && inputs.front() == "action" && action != 0);
            return known && builder.remembers_more(network, function->name, std::span(&action, inputs.size()));
        };
        const auto found = std::ranges::find_if(network.functions, is_behind);
        if (found != network.functions.end()) {
            const std::size_t inputs = graph::split_names((*found)->inputs).size();
            builder.build(network, (*found)->name, std::span(&action, inputs), collects ? "act" : "eval",
                          graph::Builder::Draws::kShared);
        }
    }
}

// Builds the function of one policy and writes its outputs; nothing if the policy has no such function.
std::optional<Acted> build_action(graph::Builder& builder, const ActingUnit& acting, std::string_view function,
                                  bool collects, Problems& problems) {
    const Unit& policy = *acting.policy;
    Acted out{.acting = acting, .first = builder.graph().writes.size()};
    const std::vector<ValueId> values = builder.build(policy, function, {}, collects ? "act" : "eval");
    if (values.empty()) {
        return std::nullopt;
    }
    const auto names = graph::split_names(graph::find_function(policy, function)->outputs);
    const auto named = std::find(names.begin(), names.end(), "action");  // a mean has another name
    const auto at = named == names.end() ? std::size_t{0} : static_cast<std::size_t>(named - names.begin());
    out.action = values[at];
    const Unit* last = &policy;
    if (acting.exploration != nullptr && collects && out.action != 0) {
        const std::vector<ValueId> explored =
            builder.build(*acting.exploration, "explore", std::span(&out.action, 1), "act");
        out.action = explored.empty() ? 0 : explored.front();
        last = acting.exploration;
    }
    const std::size_t before = problems.size();
    const std::vector<graph::Named> pieces = pieces_of(builder, out.action, *last, problems);
    out.is_misfit = problems.size() != before;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i != at || pieces.empty()) {
            builder.write(i == at ? "action" : std::string(names[i]), i == at ? out.action : values[i]);
        }
    }
    for (const graph::Named& piece : pieces) {
        builder.write(piece.name, piece.value);
    }
    out.after = builder.graph().writes.size();
    return out;
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
    const auto found = std::ranges::find(networks, role, &NetworkLayout::role);
    return found == networks.end() ? nullptr : &*found;
}

BuiltProgram build_act(const BuildSite& site, const std::vector<ActingUnit>& acting, std::string_view function,
                       bool collects, const std::vector<Column>& columns, Problems& problems) {
    graph::Builder builder(context_of(site, "acting", {graph::kLanes}, columns, false), problems);
    std::vector<Acted> acted;
    for (const ActingUnit& one : acting) {
        const std::optional<Acted> built = build_action(builder, one, function, collects, problems);
        if (!built) {
            return {};
        }
        acted.push_back(*built);
    }
    if (std::ranges::none_of(acted, [](const Acted& one) { return one.action == 0; })) {
        run_along(builder, site, acted, collects);
    }
    builder.check_memories();
    for (const graph::Named& memory : std::vector(builder.graph().remembered)) {
        builder.write(memory.name, memory.value);
    }
    const bool misfits = std::ranges::any_of(acted, &Acted::is_misfit);
    BuiltProgram out = program_of(site, builder,
                                  collects             ? "act"
                                  : function == "mode" ? "mode"
                                                       : "evaluate",
                                  acting.front().policy->place, columns, misfits);
    if (!out.failed) {
        bool fits = true;
        for (const Acted& one : acted) {
            const bool is_last = &one == &acted.back();  // it gets the memories as well
            const std::span writes(out.graph.writes.begin() + static_cast<std::ptrdiff_t>(one.first),
                                   is_last ? out.graph.writes.size() - one.first : one.after - one.first);
            fits =
                check_writes(out.graph, writes, {graph::kLanes}, *one.acting.policy, *site.networks, problems) && fits;
        }
        if (fits) {
            check_actions(out.graph, acting, collects, *site.networks, columns, problems);
        }
        check_outputs(out.graph, acting, columns, problems);
        for (const graph::Named& memory : out.graph.remembered) {
            out.remembered.push_back(memory.name);
        }
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
    return program_of(site, builder, std::move(name), {}, columns);
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
        Spec spec = computed_spec({memory.key, real, Shape(std::span<const std::int64_t>(memory.shape))}, Role::kState);
        spec.group = memory.group;
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
    Context context = context_for(site, objective, "update", leading, columns, true);
    context.burn_in = site.burn_in;
    context.forgets = site.forgets;
    graph::Builder builder(context, problems);
    builder.build(objective, "update", {}, "train");
    BuiltProgram out = program_of(site, builder, "update", objective.place, columns);
    if (!out.failed) {
        check_writes(out.graph, out.graph.writes, leading, objective, *site.networks, problems);
        if (out.graph.losses.empty()) {
            problems.push_back(
                plugin_problem(objective.component + " has no losses: its update calls rows nowhere", objective.place));
        }
        add_reduction_columns(out.inputs, columns, out.graph.burn_in > 0);
    }
    return out;
}

BuiltProgram build_whole_batch(const BuildSite& site, const Unit& objective, const std::string& function,
                               const std::vector<Column>& columns, Problems& problems) {
    graph::Builder builder(context_for(site, objective, function, {graph::kTime, graph::kLanes}, columns, false),
                           problems);
    builder.build(objective, function, {}, "eval");
    BuiltProgram out = program_of(site, builder, function, objective.place, columns);
    out.outputs = outputs_of(out.graph, columns, site.real);  // of a failed one, too, because an update reads them
    out.writes_state = true;
    if (!out.failed) {
        check_writes(out.graph, out.graph.writes, {graph::kTime, graph::kLanes}, objective, *site.networks, problems);
    }
    return out;
}

}  // namespace tenon
