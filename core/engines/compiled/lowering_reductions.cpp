// SPDX-License-Identifier: Apache-2.0
// Reductions.
#include <algorithm>
#include <limits>
#include <utility>

#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {

using graph::Dim;
using graph::is_row;
using graph::OpId;
using graph::Type;

namespace {

std::vector<std::size_t> places(const Type& type, bool (*belongs)(Dim)) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < type.dims.size(); ++i) {
        if (belongs(type.dims[i])) {
            out.push_back(i);
        }
    }
    return out;
}

View without(View view, const std::vector<std::size_t>& along) {
    for (std::size_t i = along.size(); i > 0; --i) {
        view = dropped(std::move(view), along[i - 1]);
    }
    return view;
}

double count_along(const View& view, const std::vector<std::size_t>& along) {
    double out = 1;
    for (const std::size_t at : along) {
        out *= static_cast<double>(view.shape[at]);
    }
    return out;
}

}  // namespace

View Lowering::reduced(Code code, const View& x, const std::vector<std::size_t>& along) {
    View from = x;
    double repeats = 1;
    std::vector<std::int64_t> shape = x.shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const bool goes = std::ranges::find(along, d) != along.end();
        if (x.strides[d] == 0) {
            repeats *= goes ? static_cast<double>(x.shape[d]) : 1;
            from.shape[d] = 1;
        }
        shape[d] = goes ? 1 : x.shape[d];
    }
    std::vector<std::int64_t> computed = from.shape;
    for (const std::size_t d : along) {
        computed[d] = 1;
    }
    View out = from;
    if (computed != from.shape) {
        out = fresh(Kind::kReal, computed);
        emit({.code = code, .kind = Kind::kReal, .in = {from}, .out = out});
    }
    if (code == Code::kSum && repeats != 1) {
        out = map(Code::kMul, Kind::kReal, {out, stretched(count_constant(repeats), out.shape)}, Kind::kReal);
    }
    return stretched(std::move(out), shape);
}

bool Lowering::reduce(const At& at) {
    const OpId op = at.node.op->id;
    const View x = real(at, 0);
    const std::size_t axis = place_of_axis(at.node, x.shape.size());
    if (op == OpId::kArgmax_1) {
        const View rows = moved(x, axis, x.shape.size() - 1);
        View out = fresh(Kind::kInt, shape_of(at.type));
        emit({.code = Code::kArgmax, .kind = Kind::kReal, .in = {rows}, .out = out});
        return give(at, std::move(out));
    }
    if (op == OpId::kLogsumexp_1) {
        // the subtracted maximum must be finite: a row of -inf has the logarithm of 0
        const View most = reduced(Code::kMax, x, {axis});
        const View magnitude = map(Code::kAbs, Kind::kReal, {most}, Kind::kReal);
        const View limit = stretched(constant(std::numeric_limits<double>::infinity()), most.shape);
        const View infinite = map(Code::kEq, Kind::kReal, {magnitude, limit}, Kind::kBool);
        const View base =
            map(Code::kWhere, Kind::kReal, {infinite, stretched(constant(0), most.shape), most}, Kind::kReal);
        const View less = map(Code::kSub, Kind::kReal, {x, stretched(base, x.shape)}, Kind::kReal);
        const View total = reduced(Code::kSum, map(Code::kExp, Kind::kReal, {less}, Kind::kReal), {axis});
        const View log = map(Code::kLog, Kind::kReal, {total}, Kind::kReal);
        return give(at, dropped(map(Code::kAdd, Kind::kReal, {log, base}, Kind::kReal), axis));
    }
    const Code code = op == OpId::kMax_1 ? Code::kMax : op == OpId::kMin_1 ? Code::kMin : Code::kSum;
    View out = reduced(code, x, {axis});
    if (op == OpId::kMean_1) {
        const View by = stretched(constant(static_cast<double>(x.shape[axis])), out.shape);
        out = map(Code::kDiv, Kind::kReal, {out, by}, Kind::kReal);
    }
    return give(at, dropped(std::move(out), axis));
}

bool Lowering::softmax(const At& at) {
    const View x = real(at, 0);
    const std::size_t axis = x.shape.size() - 1;
    const View most = stretched(reduced(Code::kMax, x, {axis}), x.shape);
    const View less = map(Code::kSub, Kind::kReal, {x, most}, Kind::kReal);
    const View exp = map(Code::kExp, Kind::kReal, {less}, Kind::kReal);
    const View total = reduced(Code::kSum, exp, {axis});
    if (at.node.is(OpId::kSoftmax_1)) {
        give(at, map(Code::kDiv, Kind::kReal, {exp, stretched(total, x.shape)}, Kind::kReal));
    } else {
        const View log = map(Code::kLog, Kind::kReal, {total}, Kind::kReal);
        give(at, map(Code::kSub, Kind::kReal, {less, stretched(log, x.shape)}, Kind::kReal));
    }
    return true;
}

bool Lowering::batch(const At& at) {
    const OpId op = at.node.op->id;
    const View x = real(at, 0);
    const bool all = op == OpId::kMeanRows_1;
    const std::vector<std::size_t> along =
        all ? places(type_of(at, 0), [](Dim dim) { return is_row(dim) || dim <= graph::kFirstGroup; })
            : places(type_of(at, 0), is_row);
    if (along.empty() && op != OpId::kBatchStd_1) {
        return give(at, x);
    }
    const double count = count_along(x, along);
    const auto mean_of = [&](const View& values, double by) {
        const View total = reduced(Code::kSum, values, along);
        return map(Code::kDiv, Kind::kReal, {total, stretched(count_constant(by), total.shape)}, Kind::kReal);
    };
    if (op == OpId::kBatchSum_1) {
        give(at, without(reduced(Code::kSum, x, along), along));
    } else if (op != OpId::kBatchStd_1) {
        give(at, without(mean_of(x, count), along));
    } else if (count < 2) {
        View zero = stretched(constant(0), shape_of(at.type));
        give(at, std::move(zero));
    } else {
        const View mean = stretched(mean_of(x, count), x.shape);
        const View off = map(Code::kSub, Kind::kReal, {x, mean}, Kind::kReal);
        const View square = map(Code::kSquare, Kind::kReal, {off}, Kind::kReal);
        give(at, without(map(Code::kSqrt, Kind::kReal, {mean_of(square, count - 1)}, Kind::kReal), along));
    }
    return true;
}

bool Lowering::batch_quantile(const At& at) {
    const View x = real(at, 0);
    const std::vector<std::size_t> along = places(type_of(at, 0), is_row);
    if (along.empty()) {
        return give(at, x);
    }
    if (target_.varies) {
        return false;  // the place of the quantile is not linear in the number of rows
    }
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < x.shape.size(); ++d) {
        if (std::ranges::find(along, d) == along.end()) {
            order.push_back(d);
        }
    }
    const std::size_t last = order.size();
    order.insert(order.end(), along.begin(), along.end());
    const View rows = flat_between(permuted(x, order), last, order.size());
    const View sorted = fresh(Kind::kInt, rows.shape);
    emit({.code = Code::kArgsort, .kind = Kind::kReal, .in = {rows}, .out = sorted});
    const auto nth = [&](std::int64_t n) {
        const View out = fresh(Kind::kReal, shape_of(at.type));
        emit({.code = Code::kGather,
              .kind = Kind::kReal,
              .in = {rows, dropped(narrowed(sorted, last, n, 1), last)},
              .out = out});
        return out;
    };
    const std::int64_t most = rows.shape[last] - 1;
    const double place = std::clamp(graph::float_attribute(at.node, "q"), 0.0, 1.0) * static_cast<double>(most);
    const auto below = static_cast<std::int64_t>(place);
    const double part = place - static_cast<double>(below);
    View out = nth(below);
    if (part != 0) {
        const auto times = [&](const View& view, double by) {
            return map(Code::kMul, Kind::kReal, {view, stretched(constant(by), view.shape)}, Kind::kReal);
        };
        out = map(Code::kAdd, Kind::kReal, {times(out, 1 - part), times(nth(below + 1), part)}, Kind::kReal);
    }
    const View highest = nth(most);  // NaN where there is one
    const View number = map(Code::kEq, Kind::kReal, {highest, highest}, Kind::kBool);
    return give(at, map(Code::kWhere, Kind::kReal, {number, out, highest}, Kind::kReal));
}

bool Lowering::count(const At& at) {
    const Type& of = type_of(at, 0);
    const bool all = at.node.is(OpId::kCountRows_1);
    double rows = 1;
    for (const Dim dim : of.dims) {
        rows *= is_row(dim) || (all && dim <= graph::kFirstGroup) ? static_cast<double>(size_of(dim)) : 1;
    }
    return give(at, stretched(count_constant(rows), shape_of(at.type)));
}

bool Lowering::members(const At& at) {
    const OpId op = at.node.op->id;
    const View x = real(at, 0);
    const Type& from = type_of(at, 0);
    const auto leaves = std::ranges::find_if(from.dims, [&](Dim dim) { return dim < 0 && !at.type.has(dim); });
    const auto along = static_cast<std::size_t>(leaves - from.dims.begin());
    const Code code = op == OpId::kMinMembers_1 ? Code::kMin : op == OpId::kMaxMembers_1 ? Code::kMax : Code::kSum;
    View out = reduced(code, x, {along});
    if (op == OpId::kMeanMembers_1) {
        const View by = stretched(constant(static_cast<double>(x.shape[along])), out.shape);
        out = map(Code::kDiv, Kind::kReal, {out, by}, Kind::kReal);
    }
    return give(at, dropped(std::move(out), along));
}

bool Lowering::least_members(const At& at) {
    const View x = real(at, 0);
    const auto member = std::ranges::find_if(at.type.dims, graph::is_ensemble);
    const auto along = static_cast<std::size_t>(member - at.type.dims.begin());
    View out = fresh(Kind::kBool, shape_of(at.type));
    emit({.code = Code::kLeastMembers,
          .kind = Kind::kReal,
          .in = {moved(x, along, 0)},
          .out = moved(out, along, 0),
          .number = graph::int_attribute(at.node, "count")});
    return give(at, std::move(out));
}

bool Lowering::sum_like(const At& at) {
    const Type& from = type_of(at, 0);
    const auto kept = at.type.sizes();
    std::vector<std::size_t> along;
    std::vector<std::size_t> leave;
    for (std::size_t i = 0; i < from.dims.size(); ++i) {
        const Dim dim = from.dims[i];
        const std::size_t from_right = from.dims.size() - i;
        const bool found = dim < 0 ? at.type.has(dim) : from_right <= kept.size();
        const bool stays = found && (dim < 0 || kept[kept.size() - from_right] == dim);
        if (!stays) {
            along.push_back(i);
        }
        if (!found) {
            leave.push_back(i);
        }
    }
    return give(at, without(reduced(Code::kSum, real(at, 0), along), leave));
}

bool Lowering::repeats(const At& at) {
    double all = 1;
    double parts = 1;
    for (const Dim dim : type_of(at, 0).dims) {
        all *= static_cast<double>(size_of(dim));
    }
    for (const Dim dim : type_of(at, 1).dims) {
        parts *= static_cast<double>(size_of(dim));
    }
    return give(at, count_constant(all / parts));
}

}  // namespace tenon::compiled
