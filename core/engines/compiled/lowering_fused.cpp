// SPDX-License-Identifier: Apache-2.0
// Authors' kernels. Their inputs are made dense, and their results are views of one buffer.
#include <memory>
#include <utility>

#include "compute/graph/fused.hpp"
#include "compute/graph/text.hpp"
#include "engines/compiled/lowering.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {
FusedShapes Lowering::fused_shapes(const At& at, graph::ValueId first_output) const {
    const graph::Graph& graph = target_.graph;
    const tn_fused_kernel& what = *graph::kernel_of(graph, at.node).what;
    FusedShapes out;
    for (const graph::Dim dim : graph::leading_of_fused(graph, at.node)) {
        out.leading.push_back(size_of(dim));
    }
    for (std::size_t i = 0; i < what.in_count; ++i) {
        out.in.push_back({type_of(at, i).kind, shape_of(graph::type_of_fused(graph, at.node, i))});
    }
    for (std::uint32_t i = 0; i < what.out_count; ++i) {
        out.out.push_back({Kind::kReal, shape_of(graph.type(first_output + i))});
    }
    return out;
}

void Lowering::call_kernel(const At& at, Op op, const std::vector<graph::Type>& types) {
    std::int64_t size = 0;
    for (const graph::Type& type : types) {
        op.fused.places.push_back(static_cast<std::size_t>(size));
        size += room_for(type);
    }
    op.out = fresh(Kind::kReal, {size});
    const std::uint32_t buffer = op.out.buffer;
    const std::vector<std::size_t> places = op.fused.places;
    emit(std::move(op));
    for (std::size_t i = 0; i < types.size(); ++i) {
        View view = dense_view(buffer, shape_of(types[i]));
        view.offset = static_cast<std::int64_t>(places[i]);
        views_[at.node.first_output + i] = std::move(view);
    }
}

bool Lowering::fused(const At& at) {
    const graph::Graph& graph = target_.graph;
    const FusedShapes shapes = fused_shapes(at, at.node.first_output);
    Op op{.code = Code::kFused, .kind = Kind::kReal, .in = {}, .out = {}};
    op.fused.call = std::make_shared<FusedCall>(graph::kernel_of(graph, at.node), shapes, target_.learner.real,
                                                graph::place_of(graph, at.node.source));
    op.fused.inputs = shapes.in.size();
    std::vector<graph::Type> results;
    for (std::size_t i = 0; i < shapes.in.size(); ++i) {
        const Kind kind = type_of(at, i).kind;
        op.in.push_back(dense(aligned(in(at, i), type_of(at, i), graph::type_of_fused(graph, at.node, i)), kind));
        op.fused.bytes.push_back(static_cast<std::uint8_t>(bytes_of(kind, target_.learner.real)));
    }
    for (std::uint32_t i = 0; i < shapes.out.size(); ++i) {
        results.push_back(graph.type(at.node.first_output + i));
    }
    call_kernel(at, std::move(op), results);
    return true;
}

bool Lowering::fused_gradient(const At& at) {
    const graph::Graph& graph = target_.graph;
    const std::size_t inputs = graph::kernel_of(graph, at.node).what->in_count;
    const FusedShapes shapes = fused_shapes(at, at.node.inputs[inputs]);
    Op op{.code = Code::kFused, .kind = Kind::kReal, .in = {}, .out = {}};
    op.fused.call = std::make_shared<FusedCall>(graph::kernel_of(graph, at.node), shapes, target_.learner.real,
                                                graph::place_of(graph, at.node.source));
    op.fused.inputs = inputs;
    op.fused.backward = true;
    op.fused.flowing = graph::ints_attribute(at.node, "flowing");
    op.fused.wanted = graph::ints_attribute(at.node, "wanted");
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const graph::Type& type = type_of(at, i);
        const View view = i < inputs ? aligned(in(at, i), type, graph::type_of_fused(graph, at.node, i)) : in(at, i);
        op.in.push_back(dense(view, type.kind));
        op.fused.bytes.push_back(static_cast<std::uint8_t>(bytes_of(type.kind, target_.learner.real)));
    }
    std::vector<graph::Type> results;
    for (const std::int64_t number : op.fused.wanted) {
        results.push_back(graph::type_of_fused(graph, at.node, static_cast<std::size_t>(number)));
    }
    call_kernel(at, std::move(op), results);
    return true;
}

}  // namespace tenon::compiled
