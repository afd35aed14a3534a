// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling windows.
#include <utility>

#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {
namespace {

Window window_of(const graph::Node& node) {
    return {.height = graph::int_attribute(node, "height"),
            .width = graph::int_attribute(node, "width"),
            .stride = graph::int_attribute(node, "stride"),
            .padding = graph::int_attribute(node, "padding")};
}

// Splits the first dimension into the leading ones of `x`, with the same broadcasting.
View as_leading(const View& flat, const View& x, std::size_t leading) {
    std::vector<std::int64_t> computed;
    std::vector<std::int64_t> whole;
    for (std::size_t d = 0; d < leading; ++d) {
        computed.push_back(x.strides[d] == 0 ? 1 : x.shape[d]);
        whole.push_back(x.shape[d]);
    }
    computed.insert(computed.end(), flat.shape.begin() + 1, flat.shape.end());
    whole.insert(whole.end(), flat.shape.begin() + 1, flat.shape.end());
    return stretched(dense_view(flat.buffer, std::move(computed)), whole);
}

}  // namespace

View Lowering::under_one(View x, std::size_t leading) {
    for (std::size_t d = 0; d < leading; ++d) {
        x.shape[d] = x.strides[d] == 0 ? 1 : x.shape[d];
    }
    x = inserted(std::move(x), 0, 1);
    return flat_between(x, 0, leading + 1);
}

bool Lowering::patches(const At& at) {
    const View x = real(at, 0);
    const std::size_t leading = type_of(at, 0).symbol_count();
    const View images = dense(under_one(x, leading), Kind::kReal);
    const std::vector<std::int64_t> shape = shape_of(at.type);
    const View out = fresh(Kind::kReal, {images.shape[0], shape[leading], shape[leading + 1]});
    Op op{.code = Code::kPatches, .kind = Kind::kReal, .in = {images}, .out = out};
    op.window = window_of(at.node);
    op.window.fill = graph::float_attribute(at.node, "fill");
    emit(std::move(op));
    return give(at, as_leading(out, x, leading));
}

bool Lowering::unpatch(const At& at) {
    const View g = real(at, 0);
    const std::size_t leading = type_of(at, 0).symbol_count();
    const View rows = dense(under_one(g, leading), Kind::kReal);
    const std::vector<std::int64_t> shape = shape_of(at.type);
    const View out = fresh(Kind::kReal, {rows.shape[0], shape[leading], shape[leading + 1], shape[leading + 2]});
    Op op{.code = Code::kUnpatch, .kind = Kind::kReal, .in = {rows}, .out = out};
    op.window = window_of(at.node);
    emit(std::move(op));
    return give(at, as_leading(out, g, leading));
}

}  // namespace tenon::compiled
