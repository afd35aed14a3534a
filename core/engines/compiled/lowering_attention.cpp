// SPDX-License-Identifier: Apache-2.0
// Attention: its operation finds the rows of each head by strides, so heads and leading dimensions need no copies.
#include <cmath>
#include <utility>

#include "engines/compiled/graph_rewrites.hpp"
#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {

using graph::Type;

namespace {

Attending attending_of(const graph::Node& node, std::int64_t width) {
    const double scale = graph::float_attribute(node, "scale");
    Attending out{.heads = graph::int_attribute(node, "heads"),
                  .causal = graph::int_attribute(node, "causal") != 0,
                  .window = graph::int_attribute(node, "window"),
                  .scale = scale};
    const std::int64_t of_head = width / out.heads;
    out.scale = scale == 0 ? 1 / std::sqrt(static_cast<double>(of_head)) : scale;
    return out;
}

// The view with dimension `at` in place of the size 1 before its last one.
View with_steps_as_rows(View view, std::size_t at) {
    const std::size_t rows = view.shape.size() - 2;
    view.shape[rows] = view.shape[at];
    view.strides[rows] = view.strides[at];
    return dropped(std::move(view), at);
}

}  // namespace

void Lowering::join_steps(const At& at, Op& op) const {
    const std::size_t query = op.code == Code::kAttentionGradient ? 1 : 0;
    const std::size_t time = position_of(at.type, graph::kTime);
    const auto moves = [&](const View& view) { return view.strides[time] == view.strides.end()[-2]; };
    if (!at.type.has(graph::kTime) || op.attending.causal || op.in[query].shape.end()[-2] != 1 ||
        op.in[query + 1].shape.end()[-2] < 2 || !moves(op.in[query + 1]) || !moves(op.in[query + 2])) {
        return;
    }
    const std::int64_t window = op.in[query + 1].shape.end()[-2];
    const std::int64_t steps = op.in[query].shape[time];
    for (std::size_t i = 0; i <= query; ++i) {
        op.in[i] = with_steps_as_rows(std::move(op.in[i]), time);
    }
    for (std::size_t i = query + 1; i < query + 3; ++i) {
        op.in[i].shape.end()[-2] = steps + window - 1;
        op.in[i] = dropped(std::move(op.in[i]), time);
    }
    if (op.in.size() > query + 3) {
        View& allowed = op.in.back();
        const bool is_mask = allowed.shape.size() > at.type.symbol_count() + 1;
        if (is_mask) {  // of a key as a place in its window: a step later it is a place earlier
            const std::int64_t place = allowed.strides.back();
            allowed = with_steps_as_rows(std::move(allowed), time);
            allowed.strides.end()[-2] -= place;
            allowed.shape.back() = steps + window - 1;
        } else {
            allowed.shape.back() = steps;
            allowed.strides.back() = allowed.strides[time];
            allowed = dropped(std::move(allowed), time);
        }
    }
    const std::size_t before_last = op.out.shape.size() - 2;
    op.out = query == 0 ? with_steps_as_rows(op.out, time) : moved(op.out, time, before_last);
    op.attending.causal = true;
    op.attending.window = window;
    op.attending.over_time = true;
}

// Rows are [.., rows, width] with contiguous elements; which keys are allowed is [.., queries, keys], or the first of
// them
// [.., queries].
std::vector<View> Lowering::attended(const At& at, std::size_t rows) {
    std::vector<View> out;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const Type& type = type_of(at, i);
        Type full{type.kind, {at.type.symbols().begin(), at.type.symbols().end()}};
        full.dims.insert(full.dims.end(), type.sizes().begin(), type.sizes().end());
        if (i < rows) {
            View view = real(at, i);
            view = view.strides.back() == 1 || view.shape.back() == 1 ? view : dense(view, Kind::kReal);
            out.push_back(aligned(view, type, full));
            continue;
        }
        View allowed = aligned(in(at, i), type, full);
        const std::size_t sizes = type.sizes().size();
        if (sizes < (type.kind == Kind::kInt ? 1U : 2U)) {  // the same for all queries
            const std::size_t before = allowed.shape.size() - sizes;
            allowed = inserted(std::move(allowed), before, out[rows == 4 ? 1 : 0].shape.end()[-2]);
        }
        out.push_back(std::move(allowed));
    }
    return out;
}

bool Lowering::attention(const At& at) {
    const bool in_parts = has_parts(target_.graph, at.node);
    Op op{.code = Code::kAttention,
          .kind = Kind::kReal,
          .in = attended(at, 3 + (in_parts ? kInputsOfParts : 0)),
          .out = {}};
    op.attending = attending_of(at.node, type_of(at, 0).dims.back());
    op.attending.in_parts = in_parts;
    op.out = fresh(Kind::kReal, shape_of(at.type));
    View out = op.out;
    if (!in_parts) {
        join_steps(at, op);
    }
    emit(std::move(op));
    return give(at, std::move(out));
}

bool Lowering::attention_gradient(const At& at) {
    Op op{.code = Code::kAttentionGradient, .kind = Kind::kReal, .in = attended(at, 4), .out = {}};
    op.attending = attending_of(at.node, type_of(at, 1).dims.back());
    for (std::size_t i = 0; i < op.attending.wanted.size(); ++i) {
        op.attending.wanted[i] = (graph::int_attribute(at.node, "wanted") >> i & 1) != 0;
    }
    op.out = fresh(Kind::kReal, shape_of(at.type));
    View out = op.out;
    const bool over_time = graph::int_attribute(at.node, "over_time") != 0;
    if (over_time) {
        join_steps(at, op);
    }
    if (op.attending.over_time != over_time) {
        return false;
    }
    emit(std::move(op));
    return give(at, std::move(out));
}

}  // namespace tenon::compiled
