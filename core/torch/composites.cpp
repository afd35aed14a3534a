// SPDX-License-Identifier: Apache-2.0
#include "torch/composites.hpp"

#include <algorithm>
#include <string_view>

#include "graph/dependence.hpp"
#include "torch/align.hpp"
#include "torch/recurrence.hpp"

namespace tenon::reference {
namespace {

using graph::Kind;
using graph::ValueId;

// What the inputs are, in their order: Reward, Value, Next value, Terminated, Done, rhO, C as sequences, Gamma and
// Lambda as numbers.
struct Known {
    std::string_view name;
    std::int64_t revision;
    std::string_view inputs;
    void (*in_float)(const simd::Extents&, const simd::Steps<float>&, float*, simd::Level);
    void (*in_double)(const simd::Extents&, const simd::Steps<double>&, double*, simd::Level);
};

constexpr Known kKnown[] = {{"gae", 1, "RVNTDGL", simd::gae, simd::gae},
                            {"td_lambda", 1, "RNTDGL", simd::td_lambda, simd::td_lambda},
                            {"reward_to_go", 1, "RDG", simd::reward_to_go, simd::reward_to_go},
                            {"vtrace", 1, "RVNTDOCG", simd::vtrace, simd::vtrace}};

const Known* find(std::string_view name, std::int64_t revision) {
    const auto* found = std::ranges::find_if(
        kKnown, [&](const Known& known) { return known.name == name && known.revision == revision; });
    return found == std::end(kKnown) ? nullptr : found;
}

// Sequences over the same rows and plain numbers: what else the body may be given, the body computes.
bool suits(const graph::Graph& graph, const Known& known, const graph::Region& region) {
    const graph::Type& out = graph.type(region.outputs.front());
    if (region.arguments.size() != known.inputs.size() || !out.has(graph::kTime)) {
        return false;
    }
    for (std::size_t i = 0; i < known.inputs.size(); ++i) {
        const graph::Type& type = graph.type(region.arguments[i]);
        const char input = known.inputs[i];
        const bool number = input == 'G' || input == 'L';
        const bool flag = input == 'T' || input == 'D';
        if (type.kind != (flag ? Kind::kBool : Kind::kReal) || (number ? !type.dims.empty() : type.dims != out.dims)) {
            return false;
        }
    }
    return true;
}

void replace(graph::Graph& graph, const graph::Region& region) {
    const graph::NodeId id = graph.values[region.outputs.front()].node;
    graph::Node& node = graph.nodes[id];
    const bool later =
        std::ranges::all_of(region.arguments, [&](ValueId argument) { return graph.values[argument].node < id; });
    if (later && node.output_count == 1) {
        node.op = graph::find_op("composite", 1);
        node.inputs = region.arguments;
        node.attributes = {{"name", region.name}, {"revision", region.revision}};
    }
}

template <class Real>
simd::Steps<Real> steps_of(const Known& known, const std::vector<at::Tensor>& in) {
    simd::Steps<Real> out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto sequence = [&] { return in[i].const_data_ptr<Real>(); };
        const auto flags = [&] { return reinterpret_cast<const std::uint8_t*>(in[i].const_data_ptr<bool>()); };
        const auto number = [&] { return *in[i].const_data_ptr<Real>(); };
        switch (known.inputs[i]) {
            case 'R':
                out.reward = sequence();
                break;
            case 'V':
                out.value = sequence();
                break;
            case 'N':
                out.next_value = sequence();
                break;
            case 'T':
                out.terminated = flags();
                break;
            case 'D':
                out.done = flags();
                break;
            case 'O':
                out.rho = sequence();
                break;
            case 'C':
                out.c = sequence();
                break;
            case 'G':
                out.gamma = number();
                break;
            default:
                out.lambda = number();
                break;
        }
    }
    return out;
}

}  // namespace

graph::Graph with_composites(const graph::Graph& graph) {
    graph::Graph out = graph;
    for (const graph::Region& region : graph.regions) {
        const Known* known = find(region.name, region.revision);
        const bool stands = !region.scan && graph::scan_of(graph, region.parent) == 0 && region.outputs.size() == 1;
        if (known != nullptr && stands && suits(graph, *known, region)) {
            replace(out, region);
        }
    }
    return out;
}

at::Tensor composite(const Frame& k, Inputs in) {
    const Known& known = *find(k.attributes[0].text, k.attributes[1].integer);
    std::vector<at::Tensor> dense;
    for (const at::Tensor& input : in) {
        dense.push_back(input.contiguous());
    }
    at::Tensor out = at::empty(in[0].sizes(), in[0].options());
    const simd::Extents extents = extents_of(out, position_of(k.out, graph::kTime));
    if (k.real == at::kDouble) {
        known.in_double(extents, steps_of<double>(known, dense), out.data_ptr<double>(), simd::level());
    } else {
        known.in_float(extents, steps_of<float>(known, dense), out.data_ptr<float>(), simd::level());
    }
    return out;
}

}  // namespace tenon::reference
