// SPDX-License-Identifier: Apache-2.0
#include "commands/export/onnx_translator.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "commands/export/onnx_elements.hpp"
#include "compute/exec/rows.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"

namespace tenon {

using graph::OpId;

OnnxTranslator::Form OnnxTranslator::form_of(OpId op) {
    using enum OpId;
    using Self = OnnxTranslator;
    static constexpr graph::ByOp<Form> kForms{
        {kColumn_1, &Self::column},       {kConstant_1, &Self::number},
        {kIntConstant_1, &Self::number},  {kFrames_1, &Self::number},
        {kUpdates_1, &Self::number},      {kProgress_1, &Self::number},
        {kOption_1, &Self::number},       {kParameter_1, &Self::parameter},
        {kState_1, &Self::parameter},     {kStopGradient_1, &Self::same},
        {kCast_1, &Self::cast},           {kOneHot_1, &Self::one_hot},
        {kSum_1, &Self::reduce},          {kMean_1, &Self::reduce},
        {kMax_1, &Self::reduce},          {kMin_1, &Self::reduce},
        {kLogsumexp_1, &Self::reduce},    {kArgmax_1, &Self::reduce},
        {kSoftmax_1, &Self::softmax},     {kLogSoftmax_1, &Self::softmax},
        {kMinMembers_1, &Self::members},  {kMaxMembers_1, &Self::members},
        {kMeanMembers_1, &Self::members}, {kSumMembers_1, &Self::members},
        {kArgsort_1, &Self::argsort},     {kCumsum_1, &Self::cumsum},
        {kGather_1, &Self::gather},       {kTakeAlong_1, &Self::take_along},
        {kTake_1, &Self::take},           {kSpread_1, &Self::spread},
        {kStack_1, &Self::stack},         {kPick_1, &Self::pick},
        {kCollect_1, &Self::reorder},     {kUncollect_1, &Self::reorder},
        {kGroup_1, &Self::reorder},       {kUngroup_1, &Self::reorder},
        {kTranspose_1, &Self::reorder},   {kPermute_1, &Self::reorder},
        {kConcat_1, &Self::concat},       {kConcat_2, &Self::concat},
        {kSlice_1, &Self::slice},         {kSlice_2, &Self::slice},
        {kUnsqueeze_1, &Self::squeeze},   {kSqueeze_1, &Self::squeeze},
        {kReshape_1, &Self::reshape},     {kLinear_1, &Self::linear},
        {kConv2d_1, &Self::image},        {kConvTranspose2d_1, &Self::image},
        {kMaxPool2d_1, &Self::image},     {kPut_1, &Self::put},
    };
    return has_element_form(op) ? &Self::elementwise : kForms[op];
}

Status OnnxTranslator::add(std::span<const graph::ValueId> wanted) {
    const std::vector<bool> needed = graph::ancestors(graph_, {wanted.begin(), wanted.end()});
    for (graph::NodeId id = 1; id < graph_.nodes.size(); ++id) {
        const graph::Node& node = graph_.nodes[id];
        if (!needed[id] || node.output_count == 0 || !names_[node.first_output].empty()) {
            continue;
        }
        const Form form = form_of(node.op->id);
        if (form == nullptr || !(this->*form)({node, graph_.type(node.first_output)})) {
            return input_problem("the policy cannot be exported to ONNX: its operation " + std::string(node.op->name) +
                                     (node.op->random ? ", a random number," : "") + " has no form in ONNX, for " +
                                     graph_.symbols.text(graph_.type(node.first_output)),
                                 graph::place_of(graph_, node.source));
        }
    }
    return {};
}

bool OnnxTranslator::column(const At& at) {
    const std::string& key = graph::string_attribute(at.node, "key");
    const std::vector<Port>& ports = program_.inputs;
    const auto port = std::ranges::find(ports, key, &Port::key);
    if (port == ports.end() || at.type.symbol_count() != 1 || !graph::is_row(at.type.dims.front())) {
        return false;
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
    give(at, port->dtype == own ? name : out_.cast(name, own));
    return true;
}

bool OnnxTranslator::number(const At& at) {
    switch (at.node.op->id) {
        case OpId::kConstant_1:
            give(at, out_.number(graph::float_attribute(at.node, "value")));
            break;
        case OpId::kIntConstant_1:
            give(at, out_.whole(graph::int_attribute(at.node, "value")));
            break;
        case OpId::kFrames_1:
            give(at, out_.number(numbers_.frames));
            break;
        case OpId::kUpdates_1:
            give(at, out_.number(numbers_.updates));
            break;
        case OpId::kProgress_1:
            give(at, out_.number(numbers_.progress));
            break;
        default:
            give(at, out_.number(numbers_.live[static_cast<std::size_t>(graph::int_attribute(at.node, "index"))]));
    }
    return true;
}

bool OnnxTranslator::parameter(const At& at) {
    const auto text = [&](std::string_view key) { return graph::text_of(at.node.attributes, key); };
    const auto place = find_parameter(learner_, text("role"), text("name"));
    if (!place) {
        return false;
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
    give(at, name);
    return true;
}

bool OnnxTranslator::same(const At& at) {
    give(at, in(at, 0));
    return true;
}

}  // namespace tenon
