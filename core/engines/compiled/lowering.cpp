// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/lowering.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "compute/exec/rows.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/text.hpp"
#include "engines/compiled/element.hpp"

namespace tenon::compiled {

using graph::Dim;
using graph::OpId;
using graph::Type;

Lowering::Lowering(const Target& target) : target_(target), views_(target.graph.values.size()) {}

Status Lowering::add(graph::NodeId id, std::uint32_t phase) {
    const graph::Node& node = target_.graph.nodes[id];
    phase_ = phase;
    const At at{node, id, target_.graph.type(node.first_output)};
    const Form form = kForms[static_cast<std::size_t>(node.op->id)];
    if (form != nullptr && (this->*form)(at)) {
        return {};
    }
    if (!inner_) {
        return inner_;
    }
    return graph::problem_at(
        target_.graph, id,
        "there is no compiled form of " + std::string(node.op->name) + " for " + target_.graph.symbols.text(at.type));
}

std::int64_t Lowering::size_of(Dim dim) const {
    return tenon::size_of(dim, target_.graph, target_.learner, target_.sizes);
}

std::int64_t Lowering::room_for(const Type& type) const {
    constexpr std::int64_t kLine = 16;
    std::int64_t elements = 1;
    for (const Dim dim : type.dims) {
        elements *= tenon::size_of(dim, target_.graph, target_.learner, target_.largest);
    }
    return (elements + kLine - 1) / kLine * kLine;
}

std::vector<std::int64_t> Lowering::shape_of(const Type& type) const {
    std::vector<std::int64_t> out;
    for (const Dim dim : type.dims) {
        out.push_back(size_of(dim));
    }
    return out;
}

std::uint32_t Lowering::add_buffer(Buffer buffer) {
    out_.buffers.push_back(std::move(buffer));
    return static_cast<std::uint32_t>(out_.buffers.size() - 1);
}

View Lowering::fresh(Kind kind, std::vector<std::int64_t> shape) {
    const std::int64_t size = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    return dense_view(add_buffer({.segment = Segment::kScratch, .kind = kind, .size = size, .values = {}}),
                      std::move(shape));
}

View Lowering::one_constant(Kind kind, std::vector<std::byte> value) {
    for (std::uint32_t i = 1; i < out_.buffers.size(); ++i) {
        const Buffer& have = out_.buffers[i];
        if (have.segment == Segment::kConstant && have.kind == kind && have.counted == 0 && have.values == value) {
            return dense_view(i, {});
        }
    }
    return dense_view(add_buffer({.segment = Segment::kConstant, .kind = kind, .size = 1, .values = std::move(value)}),
                      {});
}

View Lowering::constant(double value) {
    return one_constant(Kind::kReal, stored(value, target_.learner.real));
}

View Lowering::whole_constant(std::int64_t value) {
    return one_constant(Kind::kInt, stored(std::span(&value, 1)));
}

View Lowering::count_constant(double elements) {
    const auto whole = static_cast<std::int64_t>(elements);
    if (whole == 0 || static_cast<double>(whole) != elements) {
        return constant(elements);
    }
    const auto known = std::ranges::find(out_.buffers, whole, &Buffer::counted);
    if (known != out_.buffers.end()) {
        return dense_view(static_cast<std::uint32_t>(known - out_.buffers.begin()), {});
    }
    return dense_view(add_buffer({.segment = Segment::kConstant,
                                  .kind = Kind::kReal,
                                  .size = 1,
                                  .values = stored(elements, target_.learner.real),
                                  .counted = whole}),
                      {});
}

View Lowering::counting(std::int64_t n) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 0);
    return dense_view(
        add_buffer({.segment = Segment::kConstant, .kind = Kind::kInt, .size = n, .values = stored(values)}), {n});
}

void Lowering::emit(Op op) {
    op.phase = phase_;
    out_.ops.push_back(std::move(op));
}

View Lowering::port(std::ptrdiff_t number, const Type& type) {
    const DType own = stored_as(type.kind, target_.learner.real);
    const DType stored = target_.inputs[static_cast<std::size_t>(number)].dtype;
    View view = dense_view(0, shape_of(type));
    view.buffer = add_buffer({.segment = Segment::kPort,
                              .kind = type.kind,
                              .size = view.count(),
                              .index = static_cast<std::size_t>(number),
                              .values = {}});
    if (stored == own) {
        return view;
    }
    View out = fresh(type.kind, view.shape);
    emit({.code = Code::kImport,
          .kind = type.kind,
          .in = {view},
          .out = out,
          .number = static_cast<std::int64_t>(stored)});
    return out;
}

bool Lowering::column(const At& at) {
    const std::string& key = graph::string_attribute(at.node, "key");
    const auto found = std::ranges::find(target_.inputs, key, &Port::key);
    if (found == target_.inputs.end() || !std::ranges::equal(found->row.extents(), at.type.sizes())) {
        return false;
    }
    return give(at, port(found - target_.inputs.begin(), at.type));
}

bool Lowering::leaf(const At& at) {
    if (has(at.node.first_output)) {
        return true;  // a copy
    }
    const auto text = [&](std::string_view key) { return graph::text_of(at.node.attributes, key); };
    const auto place = find_parameter(target_.learner, text("role"), text("name"));
    if (!place) {
        return false;
    }
    const Parameter& parameter = target_.learner.networks[place->network].layout.parameters[place->parameter];
    View view = dense_view(0, shape_of(at.type));
    view.buffer = add_buffer({.segment = Segment::kParameter,
                              .kind = Kind::kReal,
                              .size = view.count(),
                              .index = place->network,
                              .offset = parameter.offset,
                              .slab = parameter_slab(text("slab")),
                              .values = {}});
    if (static_cast<std::size_t>(view.count()) != parameter.size) {
        return false;
    }
    return give(at, std::move(view));
}

View Lowering::add_copy(graph::NodeId id) {
    const graph::Node& node = target_.graph.nodes[id];
    View view = dense_view(0, shape_of(target_.graph.type(node.first_output)));
    view.buffer = add_buffer({.segment = Segment::kKept, .kind = Kind::kReal, .size = view.count(), .values = {}});
    views_[node.first_output] = view;
    return view;
}

void Lowering::add_next_rows(graph::ValueId next, graph::ValueId now, std::shared_ptr<NextRows> next_rows,
                             std::uint32_t phase) {
    phase_ = phase;
    Op op{.code = Code::kNextRows,
          .kind = Kind::kReal,
          .in = {dense(views_[now], Kind::kReal)},
          .out = fresh(Kind::kReal, shape_of(target_.graph.type(next)))};
    op.next_rows = std::move(next_rows);
    views_[next] = op.out;
    emit(std::move(op));
}

bool Lowering::number(const At& at) {
    const OpId op = at.node.op->id;
    if (op == OpId::kConstant_1) {
        give(at, constant(graph::float_attribute(at.node, "value")));
    } else if (op == OpId::kIntConstant_1) {
        give(at, whole_constant(graph::int_attribute(at.node, "value")));
    } else {
        const std::size_t index = op == OpId::kFrames_1    ? kFrames
                                  : op == OpId::kUpdates_1 ? kUpdates
                                  : op == OpId::kProgress_1
                                      ? kProgress
                                      : static_cast<std::size_t>(graph::int_attribute(at.node, "index"));
        give(at,
             dense_view(
                 add_buffer({.segment = Segment::kLive, .kind = Kind::kReal, .size = 1, .index = index, .values = {}}),
                 {}));
    }
    return true;
}

bool Lowering::random(const At& at) {
    constexpr std::string_view kFeedPrefix = "draw/";
    const graph::AttributeValue* stream = graph::find_attribute(at.node, "stream");
    if (stream != nullptr) {
        const std::string key = std::string(kFeedPrefix) + std::get<std::string>(*stream);
        const auto found = std::ranges::find(target_.inputs, key, &Port::key);
        if (found != target_.inputs.end()) {
            return give(at, port(found - target_.inputs.begin(), at.type));
        }
    }
    Op op{.code = Code::kDraw, .kind = Kind::kReal, .in = {}, .out = fresh(Kind::kReal, shape_of(at.type))};
    op.normal = at.node.is(OpId::kRandomNormal_1);
    op.draw.key = graph::stream_key(target_.seed, target_.graph, at.node);
    op.by_row = at.type.has(graph::kRows) || at.type.has(graph::kLanes);
    // in the order of shapes: members and dimensions made by the graph, time, rows and lanes, sizes
    std::uint64_t members = 1;
    std::uint64_t steps = 1;
    op.draw.rows = 1;
    op.draw.width = 1;
    for (const Dim dim : at.type.dims) {
        const auto size = static_cast<std::uint64_t>(size_of(dim));
        if (graph::is_derived(dim)) {
            members *= size;
        } else if (dim == graph::kTime) {
            steps = size;
        } else {
            (dim < 0 ? op.draw.rows : op.draw.width) *= size;
        }
    }
    op.members = members;
    op.steps = steps;
    View out = op.out;
    emit(std::move(op));
    return give(at, std::move(out));
}

#include "engines/compiled/generated/forms.inc"

}  // namespace tenon::compiled
