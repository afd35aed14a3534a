// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/operations.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engines/compiled/walking.hpp"

namespace tenon::compiled {
namespace {

constexpr std::int64_t kShort = 16;

// Short rows, for which a kernel call per row would take longer than the sums.
template <class T>
void reduce_short_rows(const Op& op, const T* from, T* out) {
    const View& x = op.in[0];
    const auto onto = [&](auto join) {
        for (std::int64_t i = 0; i < x.shape[0]; ++i) {
            const T* row = from + i * x.strides[0];
            T total = row[0];
            for (std::int64_t j = 1; j < x.shape[1]; ++j) {
                total = join(total, row[j * x.strides[1]]);
            }
            out[i * op.out.strides[0]] = total;
        }
    };
    if (op.code == Code::kSum) {
        onto([](T a, T b) { return a + b; });
    } else if (op.code == Code::kMax) {
        onto([](T a, T b) { return a != a ? a : (b != b || b > a ? b : a); });
    } else {
        onto([](T a, T b) { return a != a ? a : (b != b || b < a ? b : a); });
    }
}

// Uses the form of prepare_reduction: reduced dimensions come last, with a stride of 0 in the result.
template <class T>
void reduce(const Op& op, const Kernels& k, const Memory& memory) {
    const View& x = op.in[0];
    const auto kept = static_cast<std::size_t>(op.number);
    const Numbers shape(x.shape);
    const Numbers strides(x.strides);
    const Numbers to(op.out.strides);
    const T* from = at<const T>(memory, x);
    T* out = at<T>(memory, op.out);
    if (kept > 0 && strides[kept - 1] == 1 && to[kept - 1] == 1) {
        // adds or compares whole rows elementwise
        const auto onto = op.code == Code::kSum ? k.sum_onto : op.code == Code::kMax ? k.max_onto : k.min_onto;
        const std::size_t last = shape.size() - 1;
        const Rows rows{.x = nullptr, .stride = strides[last], .rows = shape[last], .width = shape[kept - 1]};
        const std::array<Walk, 2> outer{walk(x), walk(op.out)};
        each_place<2>(shape.first(kept - 1), outer, [&](const auto& place) {
            T* row = out + place[1];
            std::copy_n(from + place[0], rows.width, row);
            Rows more = rows;
            more.rows -= 1;  // the first one initialises the result
            each_place<1>(shape.subspan(kept, last - kept), {Walk{place[0], strides.subspan(kept)}},
                          [&](const auto& start) {
                              more.x = from + start[0] + (rows.rows - more.rows) * rows.stride;
                              onto(row, more);
                              more.rows = rows.rows;
                          });
        });
        return;
    }
    const std::size_t last = shape.size() - 1;
    if (kept == 1 && last == 1 && shape[1] <= kShort) {
        reduce_short_rows<T>(op, from + x.offset, out + op.out.offset);
        return;
    }
    if (op.code == Code::kSum && kept == 1 && last == 1 && strides[1] == 1) {
        k.sum_rows({.x = from + x.offset, .stride = strides[0], .rows = shape[0], .width = shape[1]},
                   out + op.out.offset, to[0]);
        return;
    }
    const auto whole = op.code == Code::kSum ? k.sum : op.code == Code::kMax ? k.max : k.min;
    each_place<2>(shape.first(kept), {walk(x), walk(op.out)}, [&](const auto& place) {
        bool begun = false;
        double total = 0;
        const Walk inner{place[0], strides.subspan(kept)};
        each_place<1>(shape.subspan(kept, last - kept), {inner}, [&](const auto& start) {
            const double part = whole({.x = from + start[0], .stride = strides[last], .n = shape[last]});
            if (!begun) {
                total = part;
            } else if (op.code == Code::kSum) {
                total += part;
            } else {
                const bool better = op.code == Code::kMax ? part > total : part < total;
                total = total != total ? total : (part != part || better ? part : total);
            }
            begun = true;
        });
        out[place[1]] = static_cast<T>(total);
    });
}

}  // namespace

void prepare_reduction(Op& op) {
    const View x = op.in[0];
    const View out = op.out;
    View from{.buffer = x.buffer, .offset = x.offset, .shape = {}, .strides = {}};
    View to{.buffer = out.buffer, .offset = out.offset, .shape = {}, .strides = {}};
    op.number = 0;
    for (const bool goes : {false, true}) {
        const std::size_t border = from.shape.size();
        for (std::size_t d = 0; d < x.shape.size(); ++d) {
            if (x.shape[d] == 1 || (out.shape[d] != x.shape[d]) != goes) {
                continue;
            }
            const std::int64_t stride = goes ? 0 : out.strides[d];
            // merges adjacent dimensions that are contiguous in both
            if (from.shape.size() > border && from.strides.back() == x.strides[d] * x.shape[d] &&
                to.strides.back() == stride * x.shape[d]) {
                from.shape.back() *= x.shape[d];
                from.strides.back() = x.strides[d];
                to.strides.back() = stride;
                continue;
            }
            from.shape.push_back(x.shape[d]);
            from.strides.push_back(x.strides[d]);
            to.strides.push_back(stride);
        }
        op.number = goes ? op.number : static_cast<std::int64_t>(from.shape.size());
    }
    to.shape = from.shape;
    op.in[0] = std::move(from);
    op.out = std::move(to);
}

void run_reduction(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    const Kernels& own = kernels(real);
    real == DType::kF64 ? reduce<double>(op, own, memory) : reduce<float>(op, own, memory);
}

}  // namespace tenon::compiled
