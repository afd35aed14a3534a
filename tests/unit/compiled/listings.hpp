// SPDX-License-Identifier: Apache-2.0
// Listings written by hand.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engines/compiled/ir.hpp"

namespace tenon::test {

inline std::uint32_t add(compiled::Listing& listing, std::int64_t size,
                         compiled::Segment segment = compiled::Segment::kScratch) {
    listing.buffers.push_back({.segment = segment, .kind = compiled::Kind::kReal, .size = size, .values = {}});
    return static_cast<std::uint32_t>(listing.buffers.size() - 1);
}

inline void emit(compiled::Listing& listing, compiled::Code code, std::vector<compiled::View> in, compiled::View out) {
    listing.ops.push_back({.code = code, .kind = compiled::Kind::kReal, .in = std::move(in), .out = std::move(out)});
}

}  // namespace tenon::test
