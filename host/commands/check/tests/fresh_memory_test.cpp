// SPDX-License-Identifier: Apache-2.0
#include "commands/check/fresh_memory.hpp"

#include <cstdlib>
#include <vector>

#include "support/catch.hpp"

namespace fresh_memory_test {

using namespace tenon;

namespace {

// Volatile, in both: the compiler is not to know that this is given back unread, and that is read unwritten.
void leave_behind(std::size_t size, int count, unsigned char byte) {
    std::vector<void*> pieces;
    for (int i = 0; i < count; ++i) {
        pieces.push_back(std::malloc(size));
        volatile unsigned char* const bytes = static_cast<volatile unsigned char*>(pieces.back());
        for (std::size_t at = 0; at < size; ++at) {
            bytes[at] = byte;
        }
    }
    for (void* const piece : pieces) {
        std::free(piece);
    }
}

// The last byte, for the first ones of a piece that was given back are the heap's own.
int found_in_fresh(std::size_t size) {
    void* volatile piece = std::malloc(size);
    const int byte = static_cast<const unsigned char*>(piece)[size - 1];
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

}  // namespace fresh_memory_test
