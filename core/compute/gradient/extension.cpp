// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/extension.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/data/mapped.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/limits.hpp"
#include "compute/graph/rules.hpp"
#include "compute/graph/scan_arguments.hpp"
#include "compute/graph/text.hpp"

namespace tenon::graph {
namespace {

std::string key_of(const Node& node) {
    const auto inputs = mapped<std::string>(node.inputs, [&](const ValueId input) { return std::to_string(input); });
    return identity_text(node, inputs);
}

// Nodes outside of scans whose value depends only on op, inputs and attributes.
bool is_shared(const Graph& graph, const Node& node) {
    return node.op != nullptr && node.output_count == 1 && !node.op->random && scan_of(graph, node.region) == 0 &&
           (node.op->rule != Rule::kSpecial || node.is(OpId::kConstant_1));
}

// The innermost scan that contains one of the inputs; 0 if there is none.
std::uint32_t scan_of_inputs(const Graph& graph, const std::vector<ValueId>& inputs) {
    std::uint32_t out = 0;
    for (const ValueId input : inputs) {
        const std::uint32_t scan = scan_of(graph, graph.node_of(input).region);
        out = depth_of(graph, scan) > depth_of(graph, out) ? scan : out;
    }
    return out;
}

void fill_integers(const OpDef& op, std::vector<Attribute>& attributes) {
    for (const AttributeDef& def : op.attributes) {
        const bool given = std::ranges::find(attributes, def.name, &Attribute::key) != attributes.end();
        if (!given && def.type == AttributeType::kInt && !def.standard.empty()) {
            std::int64_t value = 0;
            std::from_chars(def.standard.data(), def.standard.data() + def.standard.size(), value);
            attributes.push_back({std::string(def.name), value});
        }
    }
    std::ranges::sort(attributes, {}, &Attribute::key);
}

// Whether the part lacks some dimensions of the value, for example the gradient of a sum, or a constant.
bool is_within(const Type& part, const Type& whole) {
    if (part.symbol_count() > whole.symbol_count() || part.sizes().size() > whole.sizes().size()) {
        return false;
    }
    if (!std::ranges::all_of(part.symbols(), [&](Dim symbol) { return whole.has(symbol); })) {
        return false;
    }
    const auto own = part.sizes();
    const auto all = whole.sizes();
    for (std::size_t i = 0; i < own.size(); ++i) {
        const Dim size = all[all.size() - own.size() + i];
        if (own[i] != size && own[i] != 1) {
            return false;
        }
    }
    return true;
}

}  // namespace

Extension::Extension(Graph& graph) : graph_(graph) {
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        if (is_shared(graph, graph.nodes[id])) {
            known_.try_emplace(key_of(graph.nodes[id]), graph.nodes[id].first_output);
        }
    }
}

ValueId Extension::emit(OpId op, std::vector<ValueId> inputs, std::vector<Attribute> attributes) {
    const OpDef& def = op_of(op);
    fill_integers(def, attributes);
    if (std::ranges::any_of(inputs, [&](ValueId input) { return is_inside(input); })) {
        for (ValueId& input : inputs) {
            input = !is_inside(input) && graph_.type(input).has(steps()) ? step_of(input) : input;
        }
    }
    const auto types = mapped<Type>(inputs, [&](const ValueId input) { return graph_.type(input); });
    const Node asked{.op = &def, .inputs = {}, .attributes = attributes};
    auto outcome = infer(def, asked, types, graph_.symbols);
    if (const auto* misfit = std::get_if<Misfit>(&outcome)) {
        return refuse(def, misfit->sentence, inputs);
    }
    Type& type = std::get<Type>(outcome);
    if (const std::string what = excess(type, graph_.symbols, 1); !what.empty()) {
        return refuse(def, "the result, " + graph_.symbols.text(type) + "," + what, inputs);
    }
    return intern(def, std::move(inputs), std::move(attributes), std::move(type));
}

ValueId Extension::refuse(const OpDef& op, const std::string& why, const std::vector<ValueId>& inputs) {
    if (status_) {
        status_ = plugin_problem("the host could not add the op '" + std::string(op.name) + "' to the graph: " + why +
                                     "; this is a defect of tenon, please report it",
                                 place_of(graph_, source_));
    }
    return inputs.empty() ? constant(0) : inputs.front();
}

ValueId Extension::constant(double value) {
    return intern(op_of(OpId::kConstant_1), {}, {{"value", value}}, Type{});
}

ValueId Extension::emit_typed(OpId op, std::vector<ValueId> inputs, std::vector<Attribute> attributes,
                              std::vector<Type> types) {
    Node node{.op = &op_of(op),
              .inputs = std::move(inputs),
              .attributes = std::move(attributes),
              .first_output = static_cast<ValueId>(graph_.values.size()),
              .output_count = static_cast<std::uint32_t>(types.size()),
              .source = source_};
    for (std::uint32_t i = 0; i < node.output_count; ++i) {
        graph_.values.push_back({std::move(types[i]), static_cast<NodeId>(graph_.nodes.size()), i});
    }
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back().first_output;
}

ValueId Extension::column(const std::string& key, Type type) {
    for (const Node& node : graph_.nodes) {
        if (node.is(OpId::kColumn_1) && string_attribute(node, "key") == key) {
            return node.first_output;
        }
    }
    return intern(op_of(OpId::kColumn_1), {}, {{"key", key}}, std::move(type));
}

std::vector<ValueId> Extension::begin_scan_back(const Region& forward, const std::vector<ValueId>& first) {
    Region region;
    region.scan = true;
    region.backward = !forward.backward;
    region.steps = forward.steps;
    region.revision = forward.revision;
    region.carries = static_cast<std::int64_t>(first.size());
    region.source = source_;
    region.arguments = first;
    graph_.regions.push_back(std::move(region));
    scan_ = static_cast<std::uint32_t>(graph_.regions.size() - 1);
    std::vector<ValueId> inside;
    for (std::size_t i = 0; i < first.size(); ++i) {
        inside.push_back(argument(i, graph_.type(first[i])));
    }
    return graph_.regions[scan_].inputs = inside;
}

ValueId Extension::step_of(ValueId sequence) {
    const Region& region = graph_.regions[scan_];
    if (const ValueId known = entered(region, sequence); known != 0) {
        return known;
    }
    const ValueId inside = argument(region.arguments.size(), at_one_step(graph_.type(sequence), steps()));
    graph_.regions[scan_].arguments.push_back(sequence);
    graph_.regions[scan_].inputs.push_back(inside);
    return inside;
}

bool Extension::is_inside(ValueId value) const {
    return scan_ != 0 && graph_.node_of(value).region == scan_;
}

ValueId Extension::argument(std::size_t number, Type type) {
    const ValueId value =
        emit_typed(OpId::kArgument_1, {},
                   {{"number", static_cast<std::int64_t>(number)}, {"region", std::int64_t{scan_}}}, {std::move(type)});
    graph_.nodes.back().region = scan_;
    return value;
}

std::vector<ValueId> Extension::end_scan(const std::vector<ValueId>& results) {
    Region& region = graph_.regions[scan_];
    region.results = results;
    drop_arguments(graph_, region, static_cast<std::size_t>(region.carries), ancestors(graph_, results));
    auto types =
        mapped<Type>(results, [&](const ValueId result) { return over_steps(graph_.type(result), region.steps); });
    const ValueId first =
        emit_typed(scan_op(region.revision), region.arguments, {{"region", std::int64_t{scan_}}}, std::move(types));
    for (std::size_t i = 0; i < results.size(); ++i) {
        region.outputs.push_back(first + static_cast<ValueId>(i));
    }
    scan_ = 0;
    return region.outputs;
}

ValueId Extension::intern(const OpDef& op, std::vector<ValueId> inputs, std::vector<Attribute> attributes, Type type) {
    const std::uint32_t region = scan_of_inputs(graph_, inputs);
    Node node{.op = &op,
              .inputs = std::move(inputs),
              .attributes = std::move(attributes),
              .first_output = static_cast<ValueId>(graph_.values.size()),
              .output_count = 1,
              .region = region,
              .source = source_};
    const auto [known, fresh] = known_.try_emplace(key_of(node), node.first_output);
    if (fresh) {
        graph_.values.push_back({std::move(type), static_cast<NodeId>(graph_.nodes.size()), 0});
        graph_.nodes.push_back(std::move(node));
    }
    return known->second;
}

ValueId lined_up(Extension& graph, ValueId part, ValueId value) {
    const Type& own = graph.type(part);
    const Type& wanted = graph.type(value);
    if (own.dims == wanted.dims) {
        return part;
    }
    return graph.emit(is_within(own, wanted) ? OpId::kExpandLike_1 : OpId::kSumLike_1, {part, value});
}

}  // namespace tenon::graph
