// SPDX-License-Identifier: Apache-2.0
#include "check/fresh_memory.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "support/catch.hpp"

using namespace tenon;

namespace {

void leave_behind(std::size_t size, int count, unsigned char byte) {
    std::vector<void*> pieces;
    for (int i = 0; i < count; ++i) {
        pieces.push_back(std::memset(std::malloc(size), byte, size));
        asm volatile("" : : "r"(pieces.back()) : "memory");
    }
    for (void* const piece : pieces) {
        std::free(piece);
    }
}

// The last byte, for the first ones of a piece that was given back are the heap's own.
int found_in_fresh(std::size_t size) {
    auto* const piece = static_cast<unsigned char*>(std::malloc(size));
    asm volatile("" : : "r"(piece) : "memory");
    const int byte = piece[size - 1];
    std::free(piece);
    return byte;
}

}  // namespace

TEST_CASE("fresh memory holds what was said, whatever was given back before") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("a sanitizer's heap fills memory by its own rules");
#endif
    for (const std::size_t size : {24U, 25U, 200U, 1032U, 1033U, 5000U}) {
        for (const int count : {1, 7, 40}) {
            CAPTURE(size, count);
            leave_behind(size, count, 0x33);
            fill_fresh_memory(0x11);
            CHECK(found_in_fresh(size) == 0x11);
            fill_fresh_memory(0xEE);
            CHECK(found_in_fresh(size) == 0xEE);
        }
    }
}
