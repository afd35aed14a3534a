// SPDX-License-Identifier: Apache-2.0
// Operations on elements.
#include <algorithm>
#include <array>
#include <utility>

#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {

using graph::Dim;
using graph::Type;

namespace {

bool compares(Code code) {
    return code >= Code::kEq && code <= Code::kGe;
}

bool has_int_form(Code code) {
    constexpr auto kForms =
        std::to_array({Code::kAdd, Code::kSub, Code::kMul, Code::kMinimum, Code::kMaximum, Code::kNeg, Code::kWhere,
                       Code::kAbs, Code::kSign, Code::kSquare, Code::kClamp});
    return compares(code) || std::ranges::find(kForms, code) != kForms.end();
}

}  // namespace

View Lowering::aligned(const View& view, const Type& from, const Type& to) const {
    View out{.buffer = view.buffer, .offset = view.offset, .shape = shape_of(to), .strides = {}};
    out.strides.assign(out.shape.size(), 0);
    for (std::size_t i = 0; i < from.dims.size(); ++i) {
        const Dim dim = from.dims[i];
        const std::size_t from_right = from.dims.size() - i;
        const std::size_t at = dim < 0 ? position_of(to, dim) : to.dims.size() - from_right;
        out.strides[at] = view.shape[i] == 1 && out.shape[at] != 1 ? 0 : view.strides[i];
    }
    return out;
}

View Lowering::map(Code code, Kind kind, std::vector<View> in, Kind result) {
    const std::vector<std::int64_t> shape = in.front().shape;
    std::vector<std::int64_t> computed = shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (std::ranges::all_of(in, [&](const View& view) { return view.strides[d] == 0; })) {
            computed[d] = 1;
        }
    }
    for (View& view : in) {
        view.shape = computed;
    }
    View out = fresh(result, computed);
    emit({.code = code, .kind = kind, .in = std::move(in), .out = out});
    for (std::size_t d = 0; d < shape.size(); ++d) {
        out.strides[d] = computed[d] != shape[d] ? 0 : out.strides[d];
    }
    out.shape = shape;
    return out;
}

View Lowering::convert(View view, Kind from, Kind to) {
    if (from == to) {
        return view;
    }
    const Code code = to == Kind::kReal  ? (from == Kind::kInt ? Code::kIntToReal : Code::kBoolToReal)
                      : to == Kind::kInt ? (from == Kind::kReal ? Code::kRealToInt : Code::kBoolToInt)
                                         : (from == Kind::kReal ? Code::kRealToBool : Code::kIntToBool);
    const bool by_int = code == Code::kBoolToInt || code == Code::kIntToBool;
    return map(code, by_int ? Kind::kInt : Kind::kReal, {std::move(view)}, to);
}

View Lowering::real(const At& at, std::size_t input) {
    return convert(in(at, input), type_of(at, input).kind, Kind::kReal);
}

void Lowering::copy(const View& from, View to, Kind kind) {
    emit({.code = Code::kCopy, .kind = kind, .in = {from}, .out = std::move(to)});
}

View Lowering::dense(const View& view, Kind kind) {
    if (is_dense(view)) {
        return view;
    }
    View out = fresh(kind, view.shape);
    copy(view, out, kind);
    return out;
}

bool Lowering::elementwise(const At& at) {
    const Code code = kCodes[static_cast<std::size_t>(at.node.op->id)];
    const bool logical = code == Code::kAnd || code == Code::kOr || code == Code::kNot;
    Kind kind = at.type.kind;
    if (compares(code)) {
        const bool ints = std::ranges::all_of(
            at.node.inputs, [&](graph::ValueId value) { return target_.graph.type(value).kind == Kind::kInt; });
        kind = ints ? Kind::kInt : Kind::kReal;
    }
    if (kind == Kind::kInt && !has_int_form(code)) {
        return false;
    }
    std::vector<View> in_views;
    for (std::size_t i = 0; i < at.node.inputs.size(); ++i) {
        const Kind have = type_of(at, i).kind;
        const bool condition = code == Code::kWhere && i == 0;
        const Kind want = condition || logical ? Kind::kBool : kind;
        in_views.push_back(aligned(convert(in(at, i), have, want), type_of(at, i), at.type));
    }
    return give(at, map(code, kind, std::move(in_views), at.type.kind));
}

bool Lowering::cast(const At& at) {
    return give(at, convert(in(at, 0), type_of(at, 0).kind, at.type.kind));
}

bool Lowering::same(const At& at) {
    return give(at, in(at, 0));
}

bool Lowering::one_hot(const At& at) {
    const View index = inserted(in(at, 0), in(at, 0).shape.size(), at.type.dims.back());
    const View places = stretched(counting(at.type.dims.back()), index.shape);
    return give(at, map(Code::kIsIndex, Kind::kReal, {index, places}, Kind::kReal));
}

bool Lowering::gather(const At& at) {
    const Type& from = type_of(at, 0);
    Type full = at.type;
    full.dims.push_back(from.dims.back());
    const View x = aligned(in(at, 0), from, full);
    const View index = aligned(in(at, 1), type_of(at, 1), at.type);
    View out = fresh(at.type.kind, shape_of(at.type));
    emit({.code = Code::kGather, .kind = at.type.kind, .in = {x, index}, .out = out});
    return give(at, std::move(out));
}

}  // namespace tenon::compiled
