// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <vector>

namespace tenon::compiled {

void import_directly(Listing& listing, std::span<const std::uint32_t> pinned) {
    std::vector<std::size_t> reads(listing.buffers.size(), 0);
    std::vector<std::size_t> reader(listing.buffers.size(), 0);
    for (std::size_t i = 0; i < listing.ops.size(); ++i) {
        for (const View& view : listing.ops[i].in) {
            ++reads[view.buffer];
            reader[view.buffer] = i;
        }
    }
    std::vector<bool> gone(listing.ops.size(), false);
    for (Op& op : listing.ops) {
        const std::uint32_t ints = op.out.buffer;
        if (op.code != Code::kImport || op.kind != Kind::kInt || reads[ints] != 1 ||
            std::ranges::find(pinned, ints) != pinned.end()) {
            continue;
        }
        const Op& cast = listing.ops[reader[ints]];
        if (cast.code == Code::kIntToReal && is_whole(listing, cast.in[0]) && is_whole(listing, cast.out)) {
            op.kind = Kind::kReal;
            op.out = cast.out;
            gone[reader[ints]] = true;
        }
    }
    std::size_t at = 0;
    std::erase_if(listing.ops, [&](const Op&) { return gone[at++]; });
}

}  // namespace tenon::compiled
