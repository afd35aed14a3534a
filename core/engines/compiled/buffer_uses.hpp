// SPDX-License-Identifier: Apache-2.0
// Which operations of a listing write and read its buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/compiled/element.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

struct BufferUses {
    // A pinned buffer has a reader more, which reads it after the run.
    explicit BufferUses(const Listing& listing, std::span<const std::uint32_t> pinned = {})
        : writers(listing.buffers.size(), 0), readers(writers), writer(writers) {
        for (std::size_t i = 0; i < listing.ops.size(); ++i) {
            ++writers[listing.ops[i].out.buffer];
            writer[listing.ops[i].out.buffer] = i;
            for (const View& view : listing.ops[i].in) {
                ++readers[view.buffer];
            }
        }
        for (const std::uint32_t buffer : pinned) {
            ++readers[buffer];
        }
    }

    std::vector<std::size_t> writers;  // their number, by buffer
    std::vector<std::size_t> readers;
    std::vector<std::size_t> writer;  // the last one
};

// Whether all elements of the view are this constant.
inline bool is_all(const Listing& listing, const View& view, double value, DType real) {
    const Buffer& buffer = listing.buffers[view.buffer];
    return buffer.segment == Segment::kConstant && buffer.values == stored(value, real);
}

}  // namespace tenon::compiled
