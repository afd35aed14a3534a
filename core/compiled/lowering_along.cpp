// SPDX-License-Identifier: Apache-2.0
// Sorting along a size, and gathering and scattering by indices. The operations need that size last.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "compiled/lowering.hpp"

namespace tenon::compiled {

using graph::Type;

namespace {

// The type of an input with the result's sizes, except for the axis.
Type with_axis_of(Type result, const Type& input, std::int64_t axis) {
    const auto from_end = [axis](auto& dims) -> auto& {
        return dims[static_cast<std::size_t>(static_cast<std::int64_t>(dims.size()) + axis)];
    };
    from_end(result.dims) = from_end(input.dims);
    return result;
}

}  // namespace

bool Lowering::argsort(const At& at) {
    const View x = real(at, 0);
    const std::size_t last = x.shape.size() - 1;
    const std::size_t axis = place_of_axis(at.node, x.shape.size());
    const View rows = moved(x, axis, last);
    const View out = fresh(Kind::kInt, rows.shape);
    emit({.code = Code::kArgsort,
          .kind = Kind::kReal,
          .in = {rows},
          .out = out,
          .number = graph::int_attribute(at.node, "descending")});
    give(at, moved(out, last, axis));
    return true;
}

bool Lowering::take_along(const At& at) {
    const std::int64_t along = graph::int_attribute(at.node, "axis");
    const std::size_t last = at.type.dims.size() - 1;
    const std::size_t axis = place_of_axis(at.node, at.type.dims.size());
    const View x = moved(aligned(in(at, 0), type_of(at, 0), with_axis_of(at.type, type_of(at, 0), along)), axis, last);
    const View index = moved(aligned(in(at, 1), type_of(at, 1), at.type), axis, last);
    const View out = fresh(at.type.kind, index.shape);
    emit(
        {.code = Code::kGather, .kind = at.type.kind, .in = {inserted(x, last, index.shape[last]), index}, .out = out});
    give(at, moved(out, last, axis));
    return true;
}

bool Lowering::put_along(const At& at) {
    const Type from = with_axis_of(at.type, type_of(at, 0), graph::int_attribute(at.node, "axis"));
    const std::size_t last = at.type.dims.size() - 1;
    const std::size_t axis = place_of_axis(at.node, at.type.dims.size());
    const View x = moved(aligned(real(at, 0), type_of(at, 0), from), axis, last);
    const View index = moved(aligned(in(at, 1), type_of(at, 1), from), axis, last);
    std::vector<std::int64_t> shape = x.shape;
    shape[last] = size_of(at.type.dims[axis]);
    const View out = fresh(Kind::kReal, std::move(shape));
    emit({.code = Code::kPutAlong, .kind = Kind::kReal, .in = {x, index}, .out = out});
    give(at, moved(out, last, axis));
    return true;
}

}  // namespace tenon::compiled
