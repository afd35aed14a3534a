// SPDX-License-Identifier: Apache-2.0
#include "commands/check/fixed_draws.hpp"

#include <algorithm>
#include <string>

#include "compute/exec/rows.hpp"
#include "compute/graph/draw.hpp"

namespace tenon {
namespace {

bool is_in_scan(const graph::Graph& graph, std::uint32_t region) {
    while (region != 0 && !graph.regions[region].scan) {
        region = graph.regions[region].parent;
    }
    return region != 0;
}

std::vector<double> numbers_of(const graph::Graph& graph, const graph::Node& node, std::uint64_t seed,
                               std::uint64_t counter, const Sizes& sizes, std::size_t width) {
    const std::size_t times = sizes.time > 0 ? static_cast<std::size_t>(sizes.time) : 1;
    const std::size_t rows = row_count(sizes) / times;
    std::vector<double> out(times * rows * width);
    for (std::size_t time = 0; time < times; ++time) {
        const graph::Draw draw{.key = graph::stream_key(seed, graph, node),
                               .counter = counter,
                               .rows = rows,
                               .width = width,
                               .time = time};
        double* const first = &out[time * rows * width];
        node.is(graph::OpId::kRandomNormal_1) ? graph::draw_normal(draw, first) : graph::draw_uniform(draw, first);
    }
    return out;
}

}  // namespace

std::optional<FixedDraws> fix_draws(const BuiltProgram& built, std::uint64_t seed, std::uint64_t counter,
                                    const Sizes& sizes) {
    const std::vector<graph::Dim> leading = leading_of(sizes);
    FixedDraws out{.program = built, .columns = {}};
    graph::Graph& graph = out.program.graph;
    for (graph::Node& node : graph.nodes) {
        if (node.op == nullptr || !node.op->random) {
            continue;
        }
        const graph::Type& type = graph.type(node.first_output);
        const bool has_rows = std::ranges::any_of(leading, [&](graph::Dim dim) { return type.has(dim); });
        const bool steps = is_in_scan(graph, node.region);
        if (!steps && !has_rows) {
            continue;
        }
        if (steps || !std::ranges::equal(type.symbols(), leading)) {
            return std::nullopt;
        }
        std::size_t width = 1;
        for (const graph::Dim size : type.sizes()) {
            width *= static_cast<std::size_t>(size);
        }
        const std::string key = "draw." + std::to_string(out.columns.size());
        out.columns.push_back(numbers_of(graph, node, seed, counter, sizes, width));
        out.program.inputs.push_back({key, DType::kF64, Shape(type.sizes())});
        node.op = &graph::op_of(graph::OpId::kColumn_1);
        node.inputs.clear();
        node.attributes = {{"key", key}};
    }
    return out;
}

}  // namespace tenon
