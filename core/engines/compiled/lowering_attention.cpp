// SPDX-License-Identifier: Apache-2.0
// Attention: its operation finds the rows of each head by strides, so heads and leading dimensions need no copies.
#include <array>
#include <cmath>
#include <utility>

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
    out.scale = scale == 0 ? 1 / std::sqrt(static_cast<double>(width / out.heads)) : scale;
    return out;
}

}  // namespace

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
            allowed = inserted(std::move(allowed), allowed.shape.size() - sizes, out[rows - 3].shape.end()[-2]);
        }
        out.push_back(std::move(allowed));
    }
    return out;
}

bool Lowering::attention(const At& at) {
    Op op{.code = Code::kAttention, .kind = Kind::kReal, .in = attended(at, 3), .out = {}};
    op.attending = attending_of(at.node, type_of(at, 0).dims.back());
    op.out = fresh(Kind::kReal, shape_of(at.type));
    View out = op.out;
    emit(std::move(op));
    give(at, std::move(out));
    return true;
}

bool Lowering::attention_gradient(const At& at) {
    Op op{.code = Code::kAttentionGradient, .kind = Kind::kReal, .in = attended(at, 4), .out = {}};
    op.attending = attending_of(at.node, type_of(at, 1).dims.back());
    for (std::size_t i = 0; i < op.attending.wanted.size(); ++i) {
        op.attending.wanted[i] = (graph::int_attribute(at.node, "wanted") >> i & 1) != 0;
    }
    op.out = fresh(Kind::kReal, shape_of(at.type));
    View out = op.out;
    emit(std::move(op));
    give(at, std::move(out));
    return true;
}

}  // namespace tenon::compiled
