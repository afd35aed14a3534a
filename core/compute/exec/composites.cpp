// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/composites.hpp"

#include <algorithm>

#include "compute/graph/dependence.hpp"

namespace tenon {
namespace {

using graph::Kind;
using graph::ValueId;

constexpr KnownComposite kKnown[] = {{"gae", 1, "RVNTDGL", simd::gae, simd::gae},
                                     {"td_lambda", 1, "RNTDGL", simd::td_lambda, simd::td_lambda},
                                     {"reward_to_go", 1, "RDG", simd::reward_to_go, simd::reward_to_go},
                                     {"vtrace", 1, "RVNTDOCG", simd::vtrace, simd::vtrace}};

// Whether the inputs are sequences over the same rows, and plain numbers. For other inputs the body is computed.
bool suits(const graph::Graph& graph, const KnownComposite& known, const graph::Region& region) {
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
        node.op = &graph::op_of(graph::OpId::kComposite_1);
        node.inputs = region.arguments;
        node.attributes = {{"name", region.name}, {"revision", region.revision}};
    }
}

template <class Real>
simd::Steps<Real> steps_of(const KnownComposite& known, std::span<const void* const> in) {
    simd::Steps<Real> out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto* reals = static_cast<const Real*>(in[i]);
        const auto* flags = static_cast<const std::uint8_t*>(in[i]);
        switch (known.inputs[i]) {
            case 'R':
                out.reward = reals;
                break;
            case 'V':
                out.value = reals;
                break;
            case 'N':
                out.next_value = reals;
                break;
            case 'T':
                out.terminated = flags;
                break;
            case 'D':
                out.done = flags;
                break;
            case 'O':
                out.rho = reals;
                break;
            case 'C':
                out.c = reals;
                break;
            case 'G':
                out.gamma = *reals;
                break;
            default:
                out.lambda = *reals;
                break;
        }
    }
    return out;
}

}  // namespace

const KnownComposite* find_composite(std::string_view name, std::int64_t revision) {
    const auto* found = std::ranges::find_if(
        kKnown, [&](const KnownComposite& known) { return known.name == name && known.revision == revision; });
    return found == std::end(kKnown) ? nullptr : found;
}

graph::Graph with_composites(const graph::Graph& graph) {
    graph::Graph out = graph;
    for (const graph::Region& region : graph.regions) {
        const KnownComposite* known = find_composite(region.name, region.revision);
        const bool stands =
            !region.scan && !region.fused && graph::scan_of(graph, region.parent) == 0 && region.outputs.size() == 1;
        if (known != nullptr && stands && suits(graph, *known, region)) {
            replace(out, region);
        }
    }
    return out;
}

void run(const KnownComposite& known, const simd::Extents& extents, std::span<const void* const> inputs, float* out) {
    known.in_float(extents, steps_of<float>(known, inputs), out, simd::level());
}

void run(const KnownComposite& known, const simd::Extents& extents, std::span<const void* const> inputs, double* out) {
    known.in_double(extents, steps_of<double>(known, inputs), out, simd::level());
}

}  // namespace tenon
