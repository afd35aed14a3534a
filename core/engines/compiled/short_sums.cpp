// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engines/compiled/operations.hpp"

namespace tenon::compiled {
namespace {

constexpr std::int64_t kMost = 8;  // elements; actions of an env with few of them, two critics

std::optional<Code> joining_of(Code code) {
    switch (code) {
        case Code::kSum:
            return Code::kAdd;
        case Code::kMax:
            return Code::kMaximum;
        case Code::kMin:
            return Code::kMinimum;
        default:
            return std::nullopt;
    }
}

// Of a prepared reduction: whether it has few elements along one size, and the CPU reduces them in order
// (operations_reductions.cpp).
bool is_short(const Op& op) {
    const View& x = op.in[0];
    const auto kept = static_cast<std::size_t>(op.number);
    if (kept == 0 || x.shape.size() != kept + 1 || x.shape[kept] > kMost) {
        return false;
    }
    return kept == 1 || (x.strides[kept - 1] == 1 && op.out.strides[kept - 1] == 1);
}

}  // namespace

View column_of(const View& view, std::int64_t number) {
    View out = view;
    out.offset += number * out.strides.back();
    out.shape.pop_back();
    out.strides.pop_back();
    return out;
}

void write_out_short_sums(Listing& listing) {
    std::vector<Op> ops;
    for (Op& op : listing.ops) {
        const std::optional<Code> joining = joining_of(op.code);
        Op prepared = op;
        if (joining) {
            prepare_operation(prepared);
        }
        if (!joining || !is_short(prepared)) {
            ops.push_back(std::move(op));
            continue;
        }
        const View& x = prepared.in[0];
        const std::int64_t count = x.shape.back();
        prepared.out.shape.pop_back();
        prepared.out.strides.pop_back();
        View total = column_of(x, 0);
        for (std::int64_t i = 1; i < count; ++i) {
            View to = prepared.out;
            if (i + 1 < count) {
                to = dense_view(static_cast<std::uint32_t>(listing.buffers.size()), total.shape);
                listing.buffers.push_back(
                    {.segment = Segment::kScratch, .kind = op.kind, .size = to.count(), .values = {}});
            }
            // Of zeros with different signs, the first one must stay: kMaximum returns its second input if both are
            // equal.
            Op& join = ops.emplace_back();
            join.code = *joining;
            join.kind = op.kind;
            join.phase = op.phase;
            join.in =
                *joining == Code::kAdd ? std::vector{total, column_of(x, i)} : std::vector{column_of(x, i), total};
            join.out = to;
            total = std::move(to);
        }
    }
    listing.ops = std::move(ops);
}

}  // namespace tenon::compiled
