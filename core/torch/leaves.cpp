// SPDX-License-Identifier: Apache-2.0
#include "torch/leaves.hpp"

#include <algorithm>

#include "torch/guard.hpp"

namespace tenon::reference {
namespace {

std::string text_of(const graph::Node& node, std::string_view key) {
    const graph::AttributeValue* value = graph::find_attribute(node, key);
    return value == nullptr ? std::string{} : std::get<std::string>(*value);
}

Result<Leaf> leaf_of(const graph::Graph& graph, graph::NodeId id, Learner& learner) {
    const graph::Node& node = graph.nodes[id];
    const std::string role = text_of(node, "role");
    const std::string name = text_of(node, "name");
    Network* network = learner.find(role);
    if (network == nullptr) {
        return at_node(graph, id, "there is no network '" + role + "' among those of the run");
    }
    const Parameter* parameter = network->layout.find(name);
    if (parameter == nullptr) {
        return at_node(graph, id, "the network '" + role + "' has no parameter '" + name + "'");
    }
    Leaf leaf;
    leaf.node = id;
    leaf.value = node.first_output;
    leaf.network = static_cast<std::size_t>(network - learner.networks.data());
    leaf.parameter = static_cast<std::size_t>(parameter - network->layout.parameters.data());
    leaf.target = text_of(node, "slab") == "target";
    leaf.trainable = parameter->trainable && !leaf.target;
    const std::string version = text_of(node, "version");
    leaf.version = version == "start" ? "" : version;
    if (leaf.target && network->target.empty()) {
        return at_node(graph, id, "the network '" + role + "' has no target slab, and the graph reads it");
    }
    return leaf;
}

}  // namespace

Result<std::vector<Leaf>> find_leaves(const Evaluator& evaluator, const std::vector<bool>& needed, Learner& learner) {
    std::vector<Leaf> leaves;
    for (graph::NodeId id = 1; id < needed.size(); ++id) {
        if (needed[id] && evaluator.step(id).source == Source::kLeaf) {
            Result<Leaf> leaf = leaf_of(evaluator.graph(), id, learner);
            if (!leaf) {
                return leaf.error();
            }
            leaves.push_back(std::move(*leaf));
        }
    }
    return leaves;
}

at::Tensor view_of(const NetworkLayout& layout, const Parameter& parameter, const Slab& slab, at::ScalarType real) {
    std::vector<std::int64_t> shape = parameter.shape;
    if (layout.ensemble) {
        shape.insert(shape.begin(), layout.members);
    }
    auto* bytes = slab.as<std::byte>() + parameter.offset * at::elementSize(real);
    return at::from_blob(bytes, shape, at::TensorOptions(real));
}

void refresh(Leaf& leaf, Learner& learner, at::ScalarType real) {
    const Network& network = learner.networks[leaf.network];
    const Slab& slab = leaf.target ? network.target : network.live;
    if (leaf.memory == slab.data()) {
        return;
    }
    leaf.memory = slab.data();
    leaf.view = view_of(network.layout, network.layout.parameters[leaf.parameter], slab, real);
    if (leaf.trainable) {
        leaf.differentiable = leaf.view.detach().requires_grad_(true);
    }
}

}  // namespace tenon::reference
