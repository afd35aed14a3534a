// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/sequences.hpp"

#include <algorithm>
#include <utility>

#include "base/data/mapped.hpp"
#include "compute/graph/dependence.hpp"

namespace tenon::graph {
namespace {

// Ops that only rearrange a value that is available at all steps.
constexpr OpSet kArranging{OpId::kSlice_1,   OpId::kSlice_2,     OpId::kUnsqueeze_1, OpId::kSqueeze_1, OpId::kReshape_1,
                           OpId::kPermute_1, OpId::kTranspose_1, OpId::kConcat_1,    OpId::kConcat_2};

}  // namespace

Sequences::Sequences(Extension& extension, std::uint32_t region, NodeId scan, std::vector<bool> kept)
    : extension_(extension), region_(region), scan_(scan), kept_(std::move(kept)) {
    const Region& of = graph().regions[region];
    for (std::size_t i = 0; i < of.results.size(); ++i) {
        known_.try_emplace(of.results[i], graph().nodes[scan].first_output + static_cast<ValueId>(i));
    }
    know_arguments(of);
}

void Sequences::know_arguments(const Region& of) {
    for (std::size_t i = static_cast<std::size_t>(of.carries); i < of.inputs.size(); ++i) {
        known_[of.inputs[i]] = of.arguments[i];
    }
}

ValueId Sequences::of(ValueId value) {
    const Node node = graph().node_of(value);
    if (scan_of(graph(), node.region) != region_) {
        return value;
    }
    if (const auto known = known_.find(value); known != known_.end()) {
        return known->second;
    }
    return known_[value] = is_taken(value) ? taken(value) : computed_again(node);
}

bool Sequences::is_taken(ValueId value) const {
    const NodeId id = graph().values[value].node;
    const Node& node = graph().nodes[id];
    if (node.output_count != 1 || node.inputs.empty() || node.op->random) {
        return true;
    }
    return id < kept_.size() && kept_[id] && graph().type(value).kind == Kind::kReal && !node.is_any(kArranging);
}

ValueId Sequences::computed_again(const Node& node) {
    auto inputs = mapped<ValueId>(node.inputs, [&](const ValueId input) { return of(input); });
    return extension_.emit(node.op->id, std::move(inputs), node.attributes);
}

ValueId Sequences::taken(ValueId value) {
    for (NodeId id = scan_ + 1; id < graph().nodes.size(); ++id) {
        const Node& node = graph().nodes[id];
        if (node.is(OpId::kStepsOf_1) && int_attribute(node, "value") == static_cast<std::int64_t>(value)) {
            return node.first_output;  // another loss has already computed the value
        }
    }
    return extension_.emit_typed(OpId::kStepsOf_1, {graph().nodes[scan_].first_output},
                                 {{"region", std::int64_t{region_}}, {"value", std::int64_t{value}}},
                                 {over_steps(graph().type(value), graph().regions[region_].steps)});
}

}  // namespace tenon::graph
