// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

constexpr graph::OpSet kOps{graph::OpId::kConv2d_1, graph::OpId::kConvTranspose2d_1, graph::OpId::kMaxPool2d_1,
                            graph::OpId::kLinear_1};

class Layers {
public:
    explicit Layers(const graph::Graph& graph) : graph_(graph), networks_(graph.values.size()) {
        for (graph::NodeId id = 1; id < graph.nodes.size(); ++id) {
            const graph::Node& node = graph.nodes[id];
            const graph::Node* const weight = weight_of(node);
            const std::string_view before = node.inputs.empty() ? "" : networks_[node.inputs[0]];
            const std::string_view network =
                weight ? std::string_view(graph::string_attribute(*weight, "role")) : before;
            for (std::uint32_t i = 0; i < node.output_count; ++i) {
                networks_[node.first_output + i] = network;
            }
            if (!network.empty() && node.is_any(kOps)) {
                add(node, network, weight);
            }
        }
    }

    std::vector<ExplainedLayer> take() { return std::move(out_); }

private:
    [[nodiscard]] const graph::Node* weight_of(const graph::Node& node) const {
        const graph::Node* const second = node.inputs.size() > 1 ? &graph_.node_of(node.inputs[1]) : nullptr;
        return node.is_any(kOps) && second != nullptr && second->is(graph::OpId::kParameter_1) ? second : nullptr;
    }

    void add(const graph::Node& node, std::string_view network, const graph::Node* weight) {
        constexpr std::string_view kWeight = ".weight";
        std::string name = weight == nullptr ? "" : graph::string_attribute(*weight, "name");
        name.resize(name.size() - (name.ends_with(kWeight) ? kWeight.size() : 0));
        ExplainedLayer layer{.network = std::string(network),
                             .name = std::move(name),
                             .op = std::string(node.op->name),
                             .reads = sizes_of(node.inputs[0]),
                             .gives = sizes_of(node.first_output)};
        // Repeated calls of a network have the same layers.
        if (std::ranges::find(out_, layer) == out_.end()) {
            out_.push_back(std::move(layer));
        }
    }

    [[nodiscard]] std::vector<std::int64_t> sizes_of(graph::ValueId value) const {
        const auto sizes = graph_.type(value).sizes();
        return {sizes.begin(), sizes.end()};
    }

    const graph::Graph& graph_;
    std::vector<std::string_view> networks_;  // by value: the network whose layers computed it
    std::vector<ExplainedLayer> out_;
};

}  // namespace

std::vector<ExplainedLayer> layers_of(const Wiring& wiring) {
    const auto has = [](const std::vector<ExplainedLayer>& layers, const std::string& network) {
        return std::ranges::find(layers, network, &ExplainedLayer::network) != layers.end();
    };
    std::vector<ExplainedLayer> all;
    for (const ObjectivePlan& plan : wiring.objectives) {
        std::ranges::move(Layers(plan.update.graph).take(), std::back_inserter(all));
    }
    const std::vector<ExplainedLayer> learnt = all;
    for (ExplainedLayer& layer : Layers(wiring.act.graph).take()) {
        if (!has(learnt, layer.network)) {
            all.push_back(std::move(layer));
        }
    }
    std::vector<ExplainedLayer> out;
    for (const ExplainedLayer& layer : all) {
        const auto reads_images = [&](const ExplainedLayer& other) {
            return other.network == layer.network && other.op.ends_with("2d");
        };
        if (std::ranges::any_of(all, reads_images)) {
            out.push_back(layer);
        }
    }
    return out;
}

}  // namespace tenon
