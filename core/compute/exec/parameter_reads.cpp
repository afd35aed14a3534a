// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/parameter_reads.hpp"

#include <algorithm>
#include <string>

#include "compute/graph/attributes.hpp"
#include "compute/graph/text.hpp"

namespace tenon {
namespace {

using graph::text_of;

Result<ParameterRead> read_at(const graph::Graph& graph, graph::NodeId id, const Learner& learner) {
    const graph::Node& node = graph.nodes[id];
    const std::string& role = text_of(node.attributes, "role");
    const std::string& name = text_of(node.attributes, "name");
    const Network* network = learner.find(role);
    if (network == nullptr) {
        return problem_at(graph, id, "there is no network '" + role + "' in this run");
    }
    const auto place = find_parameter(learner, role, name);
    if (!place) {
        return problem_at(graph, id, "the network '" + role + "' has no parameter '" + name + "'");
    }
    ParameterRead out{.node = id,
                      .value = node.first_output,
                      .network = place->network,
                      .parameter = place->parameter,
                      .slab = parameter_slab(text_of(node.attributes, "slab"))};
    out.trainable = network->layout.parameters[place->parameter].trainable && out.slab == ParameterSlab::kLive;
    if (out.slab != ParameterSlab::kLive && slab_of(*network, out.slab).empty()) {
        return problem_at(graph, id,
                          "the network '" + role + "' has no " + text_of(node.attributes, "slab") +
                              " parameters, but the graph reads them");
    }
    if (const std::string& version = text_of(node.attributes, "version"); !version.empty() && version != "start") {
        out.after = std::ranges::find(graph.stages, version, &graph::Stage::name) - graph.stages.begin();
    }
    return out;
}

}  // namespace

Result<std::vector<ParameterRead>> parameter_reads(const graph::Graph& graph, const std::vector<bool>& needed,
                                                   const Learner& learner) {
    std::vector<ParameterRead> reads;
    for (graph::NodeId id = 1; id < needed.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (needed[id] && (node.is(graph::OpId::kParameter_1) || node.is(graph::OpId::kState_1))) {
            ParameterRead read = TENON_TRY(read_at(graph, id, learner));
            reads.push_back(read);
        }
    }
    return reads;
}

Result<std::vector<StateWrite>> state_writes(const graph::Graph& graph, const Learner& learner) {
    std::vector<StateWrite> out;
    for (const graph::Named& write : graph.state_writes) {
        const std::size_t slash = write.name.find('/');
        const auto place = find_parameter(learner, write.name.substr(0, slash), write.name.substr(slash + 1));
        if (!place) {
            return problem_at(graph, graph.values[write.value].node, "there is no state '" + write.name + "' to write");
        }
        out.push_back({place->network, place->parameter, write.value});
    }
    return out;
}

}  // namespace tenon
