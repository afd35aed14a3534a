// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/rows.hpp"

#include <algorithm>
#include <utility>

namespace tenon {

std::optional<std::vector<graph::Dim>> leading_of(const graph::Graph& graph) {
    for (std::size_t id = 1; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].is(graph::OpId::kColumn_1)) {
            const auto symbols = graph.type(graph.nodes[id].first_output).symbols();
            return std::vector<graph::Dim>(symbols.begin(), symbols.end());
        }
    }
    return std::nullopt;
}

std::vector<graph::Dim> leading_of(const Sizes& sizes) {
    std::vector<graph::Dim> out;
    for (const auto& [size, dim] : {std::pair{sizes.time, graph::kTime}, std::pair{sizes.rows, graph::kRows},
                                    std::pair{sizes.lanes, graph::kLanes}}) {
        if (size > 0) {
            out.push_back(dim);
        }
    }
    return out;
}

std::int64_t size_of(graph::Dim dim, const graph::Graph& graph, const Learner& learner, const Sizes& sizes) {
    switch (dim) {
        case graph::kRows:
            return sizes.rows;
        case graph::kTime:
            return sizes.time;
        case graph::kLanes:
            return sizes.lanes;
        default:
            break;
    }
    if (dim >= 0) {
        return dim;
    }
    if (const std::int64_t known = graph.symbols.size(dim); known > 0) {
        return known;
    }
    const Network* network = learner.find(graph.symbols.role(dim));
    return network == nullptr ? 1 : network->layout.members;
}

DType stored_as(graph::Kind kind, DType real) {
    return kind == graph::Kind::kReal ? real : kind == graph::Kind::kInt ? DType::kI64 : DType::kBool;
}

std::vector<graph::Dim> written_dims(const graph::Type& type, const graph::Graph& graph, const Sizes& sizes) {
    std::vector<graph::Dim> out = graph::join_symbols(leading_of(graph).value_or(leading_of(sizes)), type.symbols());
    out.insert(out.end(), type.sizes().begin(), type.sizes().end());
    return out;
}

std::size_t written_count(const graph::Type& type, const graph::Graph& graph, const Learner& learner,
                          const Sizes& sizes) {
    std::size_t out = 1;
    for (const graph::Dim dim : written_dims(type, graph, sizes)) {
        out *= static_cast<std::size_t>(size_of(dim, graph, learner, sizes));
    }
    return out;
}

std::size_t row_count(const Sizes& sizes) {
    std::int64_t rows = 1;
    for (const std::int64_t size : {sizes.rows, sizes.time, sizes.lanes}) {
        rows *= std::max<std::int64_t>(size, 1);
    }
    return static_cast<std::size_t>(rows);
}

std::ptrdiff_t find_row_port(std::span<const Port> inputs, std::string_view key, bool boolean) {
    const auto found = std::ranges::find_if(inputs, [&](const Port& port) {
        const bool one_a_row = port.row.rank == 0 || port.row == Shape{1};
        return port.key == key && one_a_row && (boolean ? port.dtype == DType::kBool : is_float(port.dtype));
    });
    return found == inputs.end() ? -1 : found - inputs.begin();
}

}  // namespace tenon
