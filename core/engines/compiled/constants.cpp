// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "engines/compiled/buffer_uses.hpp"
#include "engines/compiled/ordering.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {
namespace {

std::vector<std::byte> computed(const Listing& listing, const Op& op, DType real) {
    std::array<const void*, 3> in{};
    for (std::size_t i = 0; i < op.in.size(); ++i) {
        const Buffer& buffer = listing.buffers[op.in[i].buffer];
        in[i] = buffer.values.data() + static_cast<std::size_t>(op.in[i].offset) * bytes_of(buffer.kind, real);
    }
    std::vector<std::byte> out(bytes_of(listing.buffers[op.out.buffer].kind, real));
    map_of(op, real)(out.data(), in.data(), 1);
    return out;
}

}  // namespace

void fold_constants(Listing& listing, DType real, bool varies) {
    const BufferUses uses(listing);
    std::erase_if(listing.ops, [&](const Op& op) {
        Buffer& out = listing.buffers[op.out.buffer];
        const bool follows = std::ranges::all_of(op.in, [&](const View& view) {
            const Buffer& in = listing.buffers[view.buffer];
            return in.segment == Segment::kConstant && (!varies || in.counted == 0);
        });
        if (!is_elementwise(op.code) || !follows || out.segment != Segment::kScratch || out.size != 1 ||
            uses.writers[op.out.buffer] != 1) {
            return false;
        }
        out.values = computed(listing, op, real);
        out.segment = Segment::kConstant;
        return true;
    });
}

}  // namespace tenon::compiled
