// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <vector>

namespace tenon::compiled {
namespace {

struct Columns {
    std::int64_t first = 0;
    std::int64_t end = 0;  // 0: none
};

// The columns that a view reads if its buffer has rows of that width.
Columns columns_of(const View& view, std::int64_t width) {
    const Columns all{0, width};
    std::int64_t count = 1;
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
        if (view.shape[d] == 1 || view.strides[d] % width == 0) {
            continue;
        }
        if (view.strides[d] != 1 || count != 1) {
            return all;
        }
        count = view.shape[d];
    }
    const std::int64_t first = view.offset % width;
    return first + count <= width ? Columns{first, first + count} : all;
}

void join(Columns& to, const Columns& more) {
    to = to.end == 0 ? more : Columns{std::min(to.first, more.first), std::max(to.end, more.end)};
}

void narrow(View& view, std::size_t along, const Columns& to) {
    view.offset += to.first * view.strides[along];
    view.shape[along] = to.end - to.first;
}

// The width of an operation that computes each column of its result from that column alone; 0 for other operations.
std::int64_t width_of(const Op& op) {
    if (op.code == Code::kProduct) {
        return op.out.shape[2];
    }
    const bool reduces = op.code == Code::kSum || op.code == Code::kMax || op.code == Code::kMin;
    const bool by_column =
        reduces && !op.out.shape.empty() && op.out.shape.back() == op.in[0].shape.back() && op.out.strides.back() == 1;
    return by_column ? op.out.shape.back() : 0;
}

void narrow(Op& op, const Columns& to) {
    if (op.code == Code::kProduct) {
        narrow(op.in[1], 2, to);
        narrow(op.out, 2, to);
        if (bias_of(op) != nullptr) {
            narrow(op.in[2], 1, to);
        }
        return;
    }
    narrow(op.in[0], op.in[0].shape.size() - 1, to);
    narrow(op.out, op.out.shape.size() - 1, to);
}

}  // namespace

void narrow_columns(Listing& listing, std::span<const std::uint32_t> pinned) {
    std::vector<std::int64_t> width(listing.buffers.size(), 0);  // of buffers that may be narrowed
    std::vector<bool> written(listing.buffers.size(), false);
    for (const Op& op : listing.ops) {
        width[op.out.buffer] = written[op.out.buffer] ? 0 : width_of(op);
        written[op.out.buffer] = true;
    }
    for (const std::uint32_t buffer : pinned) {
        width[buffer] = 0;
    }
    std::vector<Columns> read(listing.buffers.size());
    for (std::size_t i = listing.ops.size(); i > 0; --i) {
        Op& op = listing.ops[i - 1];
        const Columns columns = read[op.out.buffer];
        if (columns.end > 0 && columns.end - columns.first < width[op.out.buffer]) {
            narrow(op, columns);
        }
        for (const View& view : op.in) {
            if (width[view.buffer] > 0) {
                join(read[view.buffer], columns_of(view, width[view.buffer]));
            }
        }
    }
}

}  // namespace tenon::compiled
