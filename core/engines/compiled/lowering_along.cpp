// SPDX-License-Identifier: Apache-2.0
// Sorting along a size, and gathering and scattering by indices. The operations need that size last.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {

using graph::Type;

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
    return give(at, moved(out, last, axis));
}

bool Lowering::cumsum(const At& at) {
    const std::size_t axis = place_of_axis(at.node, at.type.dims.size());
    const View x = dense(moved(real(at, 0), axis, 0), Kind::kReal);
    const View ones = dense(stretched(constant(1), x.shape), Kind::kReal);
    const View out = fresh(Kind::kReal, x.shape);
    emit({.code = Code::kScanLinear,
          .kind = Kind::kReal,
          .in = {ones, x},
          .out = out,
          .number = graph::int_attribute(at.node, "reverse")});
    return give(at, moved(out, 0, axis));
}

// Each element of the result is selected from its column of the table.
bool Lowering::take(const At& at) {
    const Type& table = type_of(at, 0);
    const std::size_t last = at.type.dims.size() - 1;
    Type columns{Kind::kReal, {at.type.symbols().begin(), at.type.symbols().end()}};
    columns.dims.insert(columns.dims.end(), table.sizes().begin(), table.sizes().end());
    View x = aligned(real(at, 0), table, columns);  // [leading, V, d]
    const std::size_t leading = columns.symbol_count();
    x = moved(std::move(x), leading, leading + 1);  // [leading, d, V]
    for (std::size_t i = leading; i < last; ++i) {
        x = inserted(std::move(x), i, size_of(at.type.dims[i]));
    }
    Type chosen = at.type;
    chosen.dims.pop_back();
    const View index = inserted(aligned(in(at, 1), type_of(at, 1), chosen), last, at.type.dims.back());
    const View out = fresh(Kind::kReal, shape_of(at.type));
    emit({.code = Code::kGather, .kind = Kind::kReal, .in = {x, index}, .out = out});
    return give(at, out);
}

// The rows of g are added element by element: each column of a table is one row of the operation.
bool Lowering::put_rows(const At& at) {
    const Type& from = type_of(at, 0);
    const Type& by = type_of(at, 1);
    const std::size_t tables = at.type.symbol_count();
    Type all{Kind::kReal, graph::join_symbols(from.symbols(), by.symbols())};
    std::vector<std::size_t> order;
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < all.dims.size(); ++i) {
        (at.type.has(all.dims[i]) ? order : rest).push_back(i);
    }
    Type index_type = all;
    index_type.dims.insert(index_type.dims.end(), by.sizes().begin(), by.sizes().end());
    all.dims.insert(all.dims.end(), from.sizes().begin(), from.sizes().end());
    const std::size_t width = all.dims.size() - 1;
    for (std::size_t i = all.symbol_count(); i < width; ++i) {
        rest.push_back(i);
    }
    if (order.size() != tables) {
        return false;
    }
    order.push_back(width);
    order.insert(order.end(), rest.begin(), rest.end());  // [tables, d, everything else]
    const View g = permuted(aligned(real(at, 0), from, all), order);
    const View index = permuted(inserted(aligned(in(at, 1), by, index_type), width, g.shape[tables]), order);
    const auto flat = [&](const View& view, Kind kind) {
        return flat_between(view, tables + 1, view.shape.size(), kind);
    };
    std::vector<std::int64_t> shape = shape_of(at.type);
    std::swap(shape[tables], shape[tables + 1]);
    const View out = fresh(Kind::kReal, std::move(shape));
    emit({.code = Code::kPutAlong,
          .kind = Kind::kReal,
          .in = {flat(g, Kind::kReal), flat(index, Kind::kInt)},
          .out = out});
    return give(at, moved(out, tables, tables + 1));
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
    return give(at, moved(out, last, axis));
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
    return give(at, moved(out, last, axis));
}

// Copies x and replaces the row; reuse_memory.cpp removes the copy where nothing else needs x.
bool Lowering::put(const At& at) {
    const std::size_t axis = place_of_axis(at.node, at.type.dims.size());
    const std::size_t symbols = at.type.symbol_count();
    Type rest = at.type;
    rest.dims.erase(rest.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    const Type leading{Kind::kInt, {at.type.symbols().begin(), at.type.symbols().end()}};
    View index = aligned(in(at, 1), type_of(at, 1), leading);
    for (std::size_t i = symbols; i < rest.dims.size(); ++i) {
        index = inserted(std::move(index), i, size_of(rest.dims[i]));
    }
    const View out = fresh(at.type.kind, shape_of(at.type));
    copy(aligned(in(at, 0), type_of(at, 0), at.type), out, at.type.kind);
    emit({.code = Code::kPut,
          .kind = at.type.kind,
          .in = {std::move(index), aligned(in(at, 2), type_of(at, 2), rest)},
          .out = moved(out, axis, at.type.dims.size() - 1)});
    return give(at, out);
}

}  // namespace tenon::compiled
