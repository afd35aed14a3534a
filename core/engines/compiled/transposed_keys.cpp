// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon::compiled {
namespace {

constexpr std::size_t kOwnKeys = 3;  // the input of an attention in parts

// Views of rows [.., n, width] have the distance `width` between rows; a put has the rows as its last dimension.
bool has_rows(const View& view, std::size_t rows, std::size_t elements) {
    return view.offset == 0 && view.strides[elements] == 1 && view.strides[rows] == view.shape[elements];
}

bool attends(const Op& op, std::uint32_t buffer) {
    if (op.code != Code::kAttention || !op.attending.in_parts || op.out.buffer == buffer) {
        return false;
    }
    for (std::size_t i = 0; i < op.in.size(); ++i) {
        if (i != kOwnKeys && op.in[i].buffer == buffer) {
            return false;
        }
    }
    const View& view = op.in[kOwnKeys];
    return view.shape.size() >= 2 && has_rows(view, view.shape.size() - 2, view.shape.size() - 1);
}

bool puts(const Op& op, std::uint32_t buffer) {
    const View& view = op.out;
    return op.code == Code::kPut && op.kind == Kind::kReal && view.buffer == buffer && view.shape.size() >= 2 &&
           std::ranges::find(op.in, buffer, &View::buffer) == op.in.end() &&
           has_rows(view, view.shape.size() - 1, view.shape.size() - 2);
}

void swap_strides(View& view, std::size_t rows, std::size_t elements) {
    view.strides[rows] = 1;
    view.strides[elements] = view.shape[rows];
}

}  // namespace

bool store_transposed(Listing& body, std::uint32_t buffer) {
    bool attended = false;
    for (const Op& op : body.ops) {
        const bool is_used = op.out.buffer == buffer || std::ranges::find(op.in, buffer, &View::buffer) != op.in.end();
        if (is_used && !attends(op, buffer) && !puts(op, buffer)) {
            return false;
        }
        attended = attended || (is_used && op.code == Code::kAttention);
    }
    for (Op& op : body.ops) {
        if (attended && op.code == Code::kPut && op.out.buffer == buffer) {
            swap_strides(op.out, op.out.shape.size() - 1, op.out.shape.size() - 2);
        } else if (attended && op.code == Code::kAttention && op.attending.in_parts &&
                   op.in[kOwnKeys].buffer == buffer) {
            View& view = op.in[kOwnKeys];
            swap_strides(view, view.shape.size() - 2, view.shape.size() - 1);
        }
    }
    return attended;
}

std::vector<std::int64_t> padded_keys(std::vector<std::int64_t> shape) {
    constexpr std::int64_t kTogether = 32;  // of every kind of processor and number
    const std::int64_t keys = shape[shape.size() - 2];
    shape[shape.size() - 2] = shape.back();
    shape.back() = (keys + kTogether - 1) / kTogether * kTogether;
    return shape;
}

View transposed(View rows) {
    swap_strides(rows, rows.shape.size() - 2, rows.shape.size() - 1);
    return rows;
}

}  // namespace tenon::compiled
