// SPDX-License-Identifier: Apache-2.0
#include "commands/check/fresh_memory.hpp"

#include <malloc.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace tenon {
namespace {

// glibc reuses blocks that a thread has just freed without filling them, whatever M_PERTURB says: 7 of each size, up to
// 16 in newer versions.
constexpr std::size_t kLargestKept = 1032;
constexpr std::size_t kSizeStep = 16;
constexpr std::size_t kKeptOfEach = 16;

// Volatile, because the compiler would otherwise remove writes that nobody reads.
void fill(void* piece, std::size_t size, unsigned char byte) {
    void* (*const volatile set)(void*, int, std::size_t) = &std::memset;
    set(piece, byte, size);
}

void fill_kept_pieces(unsigned char byte) {
    std::array<void*, kKeptOfEach> pieces{};
    for (std::size_t size = kLargestKept; size > kSizeStep; size -= kSizeStep) {
        for (void*& piece : pieces) {
            piece = std::malloc(size);
            if (piece != nullptr) {
                fill(piece, size, byte);
            }
        }
        for (void* const piece : pieces) {
            std::free(piece);
        }
    }
}

}  // namespace

void fill_fresh_memory(unsigned char byte) {
    if (byte != 0) {
        ::mallopt(M_PERTURB, byte ^ 0xFF);  // mallopt fills with the complement
        fill_kept_pieces(byte);
    }
}

}  // namespace tenon
