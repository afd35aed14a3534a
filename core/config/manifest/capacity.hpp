// SPDX-License-Identifier: Apache-2.0
// How much a buffer holds.
#pragma once

#include <cstdint>
#include <string>

namespace tenon {

// Frames, or the bytes that they may take.
struct Capacity {
    std::int64_t frames = 0;  // 0: bytes are given
    std::uint64_t bytes = 0;
    std::string size;  // the bytes as they are written: "2 GB"
};

}  // namespace tenon
