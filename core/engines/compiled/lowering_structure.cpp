// SPDX-License-Identifier: Apache-2.0
// Rearranging elements: as views where possible, as copies where several values are joined.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "compute/graph/text.hpp"
#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {

using graph::Dim;
using graph::Type;

namespace {

// The index of the leading dimension that `whole` has and the other lacks.
std::size_t place_lacked(const Type& whole, const Type& other) {
    const auto found = std::ranges::find_if(whole.dims, [&](Dim dim) { return dim < 0 && !other.has(dim); });
    return static_cast<std::size_t>(found - whole.dims.begin());
}

}  // namespace

std::size_t position_of(const Type& type, Dim dim) {
    return static_cast<std::size_t>(std::ranges::find(type.dims, dim) - type.dims.begin());
}

Type with_axis_of(Type result, const Type& input, std::int64_t axis) {
    const auto from_end = [axis](auto& dims) -> auto& {
        return dims[static_cast<std::size_t>(static_cast<std::int64_t>(dims.size()) + axis)];
    };
    from_end(result.dims) = from_end(input.dims);
    return result;
}

std::size_t place_of_axis(const graph::Node& node, std::size_t dimensions) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(dimensions) + graph::axis_of(node));
}

View permuted(const View& view, const std::vector<std::size_t>& order) {
    View out{.buffer = view.buffer, .offset = view.offset, .shape = {}, .strides = {}};
    for (const std::size_t d : order) {
        out.shape.push_back(view.shape[d]);
        out.strides.push_back(view.strides[d]);
    }
    return out;
}

View dropped(View view, std::size_t at) {
    view.shape.erase(view.shape.begin() + static_cast<std::ptrdiff_t>(at));
    view.strides.erase(view.strides.begin() + static_cast<std::ptrdiff_t>(at));
    return view;
}

View inserted(View view, std::size_t at, std::int64_t size) {
    view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(at), size);
    view.strides.insert(view.strides.begin() + static_cast<std::ptrdiff_t>(at), 0);
    return view;
}

View moved(View view, std::size_t from, std::size_t to) {
    const std::int64_t size = view.shape[from];
    const std::int64_t stride = view.strides[from];
    view = dropped(std::move(view), from);
    view = inserted(std::move(view), to, size);
    view.strides[to] = stride;
    return view;
}

View narrowed(View view, std::size_t at, std::int64_t start, std::int64_t length) {
    view.offset += start * view.strides[at];
    view.shape[at] = length;
    return view;
}

View stretched(View view, std::span<const std::int64_t> shape) {
    while (view.shape.size() < shape.size()) {
        view = inserted(std::move(view), 0, 1);
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
        view.strides[i] = view.shape[i] == 1 && shape[i] != 1 ? 0 : view.strides[i];
        view.shape[i] = shape[i];
    }
    return view;
}

bool Lowering::spread(const At& at) {
    const std::size_t made = place_lacked(at.type, type_of(at, 0));
    return give(at, inserted(in(at, 0), made, size_of(at.type.dims[made])));
}

bool Lowering::expand_like(const At& at) {
    return give(at, aligned(in(at, 0), type_of(at, 0), at.type));
}

bool Lowering::stack(const At& at) {
    const Dim made = *std::ranges::find_if(at.type.dims, [&](Dim dim) {
        return dim < 0 && std::ranges::none_of(
                              at.node.inputs, [&](graph::ValueId value) { return target_.graph.type(value).has(dim); });
    });
    const std::size_t place = position_of(at.type, made);
    Type each = at.type;
    each.dims.erase(each.dims.begin() + static_cast<std::ptrdiff_t>(place));
    const View out = fresh(at.type.kind, shape_of(at.type));
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const View part = convert(in(at, i), type_of(at, i).kind, at.type.kind);
        copy(aligned(part, type_of(at, i), each), dropped(narrowed(out, place, static_cast<std::int64_t>(i), 1), place),
             at.type.kind);
    }
    return give(at, out);
}

// Selects an index along a leading dimension.
bool Lowering::pick(const At& at) {
    const std::size_t along = place_lacked(type_of(at, 0), at.type);
    const std::int64_t index = graph::int_attribute(at.node, "index");
    const std::int64_t size = in(at, 0).shape[along];
    const std::int64_t from = index < 0 ? index + size : index;
    if (from < 0 || from >= size) {
        inner_ = graph::problem_at(target_.graph, at.id,
                                   std::string(at.node.op->name) + ": there is no number " + std::to_string(index) +
                                       " along a dimension of " + std::to_string(size));
        return false;
    }
    return give(at, dropped(narrowed(in(at, 0), along, from, 1), along));
}

bool Lowering::collect(const At& at) {
    const std::size_t from = place_lacked(type_of(at, 0), at.type);
    return give(at, moved(in(at, 0), from, at.type.dims.size() - 1));
}

bool Lowering::uncollect(const At& at) {
    const std::size_t to = place_lacked(at.type, type_of(at, 0));
    return give(at, moved(in(at, 0), in(at, 0).shape.size() - 1, to));
}

bool Lowering::group(const At& at) {
    const std::size_t to = place_lacked(at.type, type_of(at, 0));
    return give(at, moved(in(at, 0), place_of_axis(at.node, type_of(at, 0).dims.size()), to));
}

bool Lowering::ungroup(const At& at) {
    const std::size_t from = place_lacked(type_of(at, 0), at.type);
    return give(at, moved(in(at, 0), from, place_of_axis(at.node, at.type.dims.size())));
}

bool Lowering::concat(const At& at) {
    const std::size_t along = place_of_axis(at.node, at.type.dims.size());
    std::vector<View> parts;
    std::vector<std::int64_t> shape = shape_of(at.type);
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const Type each = with_axis_of(at.type, type_of(at, i), graph::axis_of(at.node));
        const View part = convert(in(at, i), type_of(at, i).kind, at.type.kind);
        parts.push_back(aligned(part, type_of(at, i), each));
    }
    std::vector<std::int64_t> computed = shape;  // dimensions that all parts broadcast are not repeated
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d != along && std::ranges::all_of(parts, [&](const View& part) { return part.strides[d] == 0; })) {
            computed[d] = 1;
        }
    }
    View out = fresh(at.type.kind, computed);
    std::int64_t start = 0;
    for (View& part : parts) {
        const std::int64_t width = part.shape[along];
        part.shape = computed;
        part.shape[along] = width;
        copy(part, narrowed(out, along, start, width), at.type.kind);
        start += width;
    }
    return give(at, stretched(std::move(out), shape));
}

bool Lowering::slice(const At& at) {
    return give(at, narrowed(in(at, 0), place_of_axis(at.node, at.type.dims.size()),
                             graph::int_attribute(at.node, "start"), graph::int_attribute(at.node, "length")));
}

bool Lowering::pad(const At& at) {
    const View out = fresh(Kind::kReal, shape_of(at.type));
    copy(stretched(constant(0), out.shape), out, Kind::kReal);
    const View& x = in(at, 0);
    const std::size_t along = place_of_axis(at.node, at.type.dims.size());
    copy(x, narrowed(out, along, graph::int_attribute(at.node, "start"), x.shape[along]), Kind::kReal);
    return give(at, out);
}

bool Lowering::permute(const At& at) {
    std::vector<std::size_t> order(at.type.symbol_count());
    std::iota(order.begin(), order.end(), 0);
    for (const std::int64_t from : graph::ints_attribute(at.node, "order")) {
        order.push_back(static_cast<std::size_t>(static_cast<std::int64_t>(at.type.dims.size()) + from));
    }
    return give(at, permuted(in(at, 0), order));
}

bool Lowering::place(const At& at) {
    const View out = fresh(Kind::kReal, shape_of(at.type));
    copy(stretched(constant(0), out.shape), out, Kind::kReal);
    const std::size_t along = place_lacked(at.type, type_of(at, 0));
    const std::int64_t index = graph::int_attribute(at.node, "index");
    const std::int64_t from = index < 0 ? index + out.shape[along] : index;
    copy(in(at, 0), dropped(narrowed(out, along, from, 1), along), Kind::kReal);
    return give(at, out);
}

// Removes or inserts a dimension of size 1.
bool Lowering::squeeze(const At& at) {
    if (at.node.is(graph::OpId::kSqueeze_1)) {
        give(at, dropped(in(at, 0), place_of_axis(at.node, type_of(at, 0).dims.size())));
    } else {
        give(at, inserted(in(at, 0), place_of_axis(at.node, at.type.dims.size()), 1));
    }
    return true;
}

bool Lowering::transpose(const At& at) {
    const std::size_t last = at.type.dims.size() - 1;
    return give(at, moved(in(at, 0), last, last - 1));
}

bool Lowering::reshape(const At& at) {
    const Type& from = type_of(at, 0);
    const std::size_t symbols = from.symbol_count();
    std::vector<std::int64_t> shape = shape_of(at.type);
    View out = flat_between(in(at, 0), symbols, from.dims.size(), from.kind);
    std::int64_t stride = out.strides.back();
    out.shape = shape;
    out.strides.resize(shape.size());
    for (std::size_t i = shape.size(); i > symbols; --i) {
        out.strides[i - 1] = stride;
        stride *= shape[i - 1];
    }
    return give(at, std::move(out));
}

bool Lowering::shift_time(const At& at) {
    const std::int64_t by = graph::int_attribute(at.node, "by");
    const std::size_t time = position_of(at.type, graph::kTime);
    const View out = fresh(Kind::kReal, shape_of(at.type));
    copy(stretched(constant(0), out.shape), out, Kind::kReal);
    const std::int64_t kept = out.shape[time] - (by < 0 ? -by : by);
    if (kept > 0) {
        copy(narrowed(in(at, 0), time, by > 0 ? 0 : -by, kept), narrowed(out, time, by > 0 ? by : 0, kept),
             Kind::kReal);
    }
    return give(at, out);
}

// The rows before the sequence and its own are contiguous in time, so that every window is a view of them.
bool Lowering::windows(const At& at) {
    const Type& rows = type_of(at, 0);
    const std::size_t time = position_of(rows, graph::kTime);
    const std::size_t place = place_of_axis(at.node, at.type.dims.size());
    const std::int64_t earlier = at.type.dims[place] - 1;
    std::vector<std::int64_t> shape = shape_of(rows);
    const std::int64_t steps = shape[time];
    shape[time] += earlier;
    const View all = fresh(Kind::kReal, shape);
    Type before = at.type;
    before.dims.erase(before.dims.begin() + static_cast<std::ptrdiff_t>(time));
    before.dims[place - 1] = earlier;
    const View first = narrowed(all, time, 0, earlier);
    copy(at.node.inputs.size() < 2 ? stretched(constant(0), first.shape)
                                   : moved(aligned(real(at, 1), type_of(at, 1), before), place - 1, time),
         first, Kind::kReal);
    copy(real(at, 0), narrowed(all, time, earlier, steps), Kind::kReal);
    View out = inserted(narrowed(all, time, 0, steps), place, earlier + 1);
    out.strides[place] = all.strides[time];
    return give(at, std::move(out));
}

// A row's copies are on a diagonal of steps and places in the window, which is a view as well.
bool Lowering::sum_windows(const At& at) {
    const Type& copies = type_of(at, 0);
    const std::size_t time = position_of(copies, graph::kTime);
    const std::size_t place = place_of_axis(at.node, copies.dims.size());
    std::vector<std::int64_t> shape = shape_of(copies);
    const std::int64_t steps = shape[time];
    const std::int64_t later = shape[place] - 1;
    shape[time] += later;
    const View all = fresh(Kind::kReal, shape);
    copy(real(at, 0), narrowed(all, time, 0, steps), Kind::kReal);
    const View rest = narrowed(all, time, steps, later);
    copy(stretched(constant(0), rest.shape), rest, Kind::kReal);
    View diagonals = narrowed(all, time, 0, steps);
    diagonals.offset += later * all.strides[place];
    diagonals.strides[place] = all.strides[time] - all.strides[place];
    return give(at, dropped(reduced(Code::kSum, diagonals, {place}), place));
}

bool Lowering::scan_linear(const At& at) {
    const std::size_t time = position_of(at.type, graph::kTime);
    const auto time_first = [&](std::size_t i) {
        return dense(moved(aligned(real(at, i), type_of(at, i), at.type), time, 0), Kind::kReal);
    };
    const View decay = time_first(0);
    const View x = time_first(1);
    const View out = fresh(Kind::kReal, x.shape);
    emit({.code = Code::kScanLinear,
          .kind = Kind::kReal,
          .in = {decay, x},
          .out = out,
          .number = graph::int_attribute(at.node, "reverse")});
    return give(at, moved(out, 0, time));
}

bool Lowering::composite(const At& at) {
    Op op{.code = Code::kComposite, .kind = Kind::kReal, .in = {}, .out = fresh(Kind::kReal, shape_of(at.type))};
    op.composite.what =
        find_composite(graph::string_attribute(at.node, "name"), graph::int_attribute(at.node, "revision"));
    simd::Extents& extents = op.composite.extents;
    extents.steps = 1;
    const std::size_t time = position_of(at.type, graph::kTime);
    for (std::size_t i = 0; i < op.out.shape.size(); ++i) {
        (i < time ? extents.outer : i == time ? extents.steps : extents.inner) *= op.out.shape[i];
    }
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        op.in.push_back(dense(in(at, i), type_of(at, i).kind));
    }
    View out = op.out;
    emit(std::move(op));
    return give(at, std::move(out));
}

}  // namespace tenon::compiled
