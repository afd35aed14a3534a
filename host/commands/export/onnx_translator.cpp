// SPDX-License-Identifier: Apache-2.0
#include "commands/export/onnx_translator.hpp"

#include <algorithm>
#include <string_view>

#include "compute/exec/rows.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"

namespace tenon {

using graph::OpId;

std::string OnnxTranslator::translated(const OnnxAt& at) {
    switch (at.node.op->id) {
        case OpId::kColumn_1:
            return column(at);
        case OpId::kConstant_1:
        case OpId::kIntConstant_1:
        case OpId::kFrames_1:
        case OpId::kUpdates_1:
        case OpId::kProgress_1:
        case OpId::kOption_1:
            return number(at);
        case OpId::kParameter_1:
        case OpId::kState_1:
            return parameter(at);
        case OpId::kStopGradient_1:
            return at.in(0);
        default:
            break;
    }
    for (const auto form_of : {onnx_element_form, onnx_reduction_form, onnx_structure_form, onnx_layer_form}) {
        if (const OnnxForm form = form_of(at.node.op->id)) {
            return form(at);
        }
    }
    return "";
}

Status OnnxTranslator::add(std::span<const graph::ValueId> wanted) {
    const std::vector<bool> needed = graph::ancestors(graph_, {wanted.begin(), wanted.end()});
    for (graph::NodeId id = 1; id < graph_.nodes.size(); ++id) {
        const graph::Node& node = graph_.nodes[id];
        if (!needed[id] || node.output_count == 0 || !names_[node.first_output].empty()) {
            continue;
        }
        std::string& name = names_[node.first_output];
        name = translated({*this, node, graph_.type(node.first_output), out_});
        if (name.empty()) {
            return input_problem("the policy cannot be exported to ONNX: its operation " + std::string(node.op->name) +
                                     (node.op->random ? ", a random number," : "") + " has no form in ONNX, for " +
                                     graph_.symbols.text(graph_.type(node.first_output)),
                                 graph::place_of(graph_, node.source));
        }
    }
    return {};
}

std::string OnnxTranslator::column(const OnnxAt& at) {
    const std::string& key = graph::string_attribute(at.node, "key");
    const std::vector<Port>& ports = program_.inputs;
    const auto port = std::ranges::find(ports, key, &Port::key);
    if (port == ports.end() || at.type.symbol_count() != 1 || !graph::is_row(at.type.dims.front())) {
        return "";
    }
    std::string name = key;
    if (const InputChain* chain = find_chain(chains_, key)) {
        const Spec& first = chain->steps.front().from;
        add_input(input_of(key, first.dtype, first.shape));
        name = steps(*chain);
    } else {
        add_input(input_of(key, port->dtype, port->row));
    }
    const DType own = out_.dtype_of(at.type.kind);
    return port->dtype == own ? name : out_.cast(name, own);
}

std::string OnnxTranslator::number(const OnnxAt& at) {
    switch (at.node.op->id) {
        case OpId::kConstant_1:
            return out_.number(graph::float_attribute(at.node, "value"));
        case OpId::kIntConstant_1:
            return out_.whole(graph::int_attribute(at.node, "value"));
        case OpId::kFrames_1:
            return out_.number(numbers_.frames);
        case OpId::kUpdates_1:
            return out_.number(numbers_.updates);
        case OpId::kProgress_1:
            return out_.number(numbers_.progress);
        default:
            return out_.number(numbers_.live[static_cast<std::size_t>(graph::int_attribute(at.node, "index"))]);
    }
}

std::string OnnxTranslator::parameter(const OnnxAt& at) {
    const auto text = [&](std::string_view key) { return graph::text_of(at.node.attributes, key); };
    const auto place = find_parameter(learner_, text("role"), text("name"));
    if (!place) {
        return "";
    }
    const Network& network = learner_.networks[place->network];
    const Parameter& parameter = network.layout.parameters[place->parameter];
    const std::string version = text("slab");
    const std::size_t bytes = size_of(out_.real());
    const auto* from = slab_of(network, parameter_slab(version)).as<char>() + parameter.offset * bytes;
    const std::string name =
        text("role") + "/" + text("name") + (version.empty() || version == "live" ? "" : "@" + version);
    const auto& known = out_.model.initialisers;
    if (std::ranges::find(known, name, &OnnxTensor::name) == known.end()) {
        out_.tensor({name, out_.real(), out_.sizes_of(at.type), std::string(from, parameter.size * bytes)});
    }
    return name;
}

}  // namespace tenon
