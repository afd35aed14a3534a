// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include "engines/compiled/kernels/kernels.hpp"

namespace tenon::compiled {
namespace {

constexpr std::int64_t kMostRows = 64;

// Whether a right side is worth keeping: a parameter, or a value that is constant over the steps of a scan, stored with
// contiguous columns, which multiplies few rows.
bool is_worth_it(const Listing& listing, const Op& op) {
    if (op.code != Code::kProduct) {
        return false;
    }
    const View& b = op.in[1];
    const Segment segment = listing.buffers[b.buffer].segment;
    return (segment == Segment::kParameter || segment == Segment::kOutside) && b.shape[0] == 1 && b.shape[2] > 1 &&
           b.strides[1] == 1 && b.strides[2] == b.shape[1] && op.in[0].shape[1] <= kMostRows;
}

}  // namespace

void keep_sides(Listing& listing, DType real) {
    for (Op& op : listing.ops) {
        if (!is_worth_it(listing, op)) {
            continue;
        }
        const std::int64_t size =
            kernels(real).product_lasting(op.in[0].shape[1], op.in[1].shape[2], op.in[1].shape[1]);
        if (size > 0) {
            op.lasting = static_cast<std::uint32_t>(listing.buffers.size());
            listing.buffers.push_back({.segment = Segment::kKept, .kind = Kind::kReal, .size = size, .values = {}});
        }
    }
}

}  // namespace tenon::compiled
