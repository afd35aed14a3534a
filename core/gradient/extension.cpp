// SPDX-License-Identifier: Apache-2.0
#include "gradient/extension.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "graph/builder.hpp"
#include "graph/dependence.hpp"
#include "graph/rules.hpp"

namespace tenon::graph {
namespace {

std::string key_of(const Node& node) {
    std::vector<std::string> inputs;
    for (const ValueId input : node.inputs) {
        inputs.push_back(std::to_string(input));
    }
    return identity_text(node, inputs);
}

// Nodes outside of scans whose value follows from op, inputs and attributes alone.
bool is_shared(const Graph& graph, const Node& node) {
    return node.op != nullptr && node.output_count == 1 && !node.op->random && scan_of(graph, node.region) == 0 &&
           (node.op->rule != Rule::kSpecial || node.op->name == "constant");
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

}  // namespace

Extension::Extension(Graph& graph) : graph_(graph) {
    for (NodeId id = 1; id < graph.nodes.size(); ++id) {
        if (is_shared(graph, graph.nodes[id])) {
            known_.try_emplace(key_of(graph.nodes[id]), graph.nodes[id].first_output);
        }
    }
}

ValueId Extension::emit(std::string_view op, std::vector<ValueId> inputs, std::vector<Attribute> attributes) {
    const OpDef* def = find_op(op, 1);
    if (def == nullptr) {
        throw std::logic_error("there is no op '" + std::string(op) + "'");
    }
    fill_integers(*def, attributes);
    std::vector<Type> types;
    for (const ValueId input : inputs) {
        types.push_back(graph_.type(input));
    }
    Node asked;
    asked.op = def;
    asked.attributes = attributes;
    auto outcome = infer(*def, asked, types, graph_.symbols);
    if (const auto* misfit = std::get_if<Misfit>(&outcome)) {
        throw std::logic_error(std::string(op) + ": " + misfit->sentence);
    }
    return intern(*def, std::move(inputs), std::move(attributes), std::move(std::get<Type>(outcome)));
}

ValueId Extension::constant(double value) {
    return intern(*find_op("constant", 1), {}, {{"value", value}}, Type{});
}

ValueId Extension::emit_typed(std::string_view op, std::vector<ValueId> inputs, std::vector<Attribute> attributes,
                              std::vector<Type> types) {
    Node node;
    node.op = find_op(op, 1);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.first_output = static_cast<ValueId>(graph_.values.size());
    node.output_count = static_cast<std::uint32_t>(types.size());
    node.source = source_;
    for (std::uint32_t i = 0; i < node.output_count; ++i) {
        graph_.values.push_back({std::move(types[i]), static_cast<NodeId>(graph_.nodes.size()), i});
    }
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back().first_output;
}

ValueId Extension::column(const std::string& key, Type type) {
    for (const Node& node : graph_.nodes) {
        if (node.op != nullptr && node.op->name == "column" && string_attribute(node, "key") == key) {
            return node.first_output;
        }
    }
    return intern(*find_op("column", 1), {}, {{"key", key}}, std::move(type));
}

ValueId Extension::intern(const OpDef& op, std::vector<ValueId> inputs, std::vector<Attribute> attributes, Type type) {
    Node node;
    node.op = &op;
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.first_output = static_cast<ValueId>(graph_.values.size());
    node.output_count = 1;
    node.source = source_;
    const auto [known, fresh] = known_.try_emplace(key_of(node), node.first_output);
    if (fresh) {
        graph_.values.push_back({std::move(type), static_cast<NodeId>(graph_.nodes.size()), 0});
        graph_.nodes.push_back(std::move(node));
    }
    return known->second;
}

}  // namespace tenon::graph
