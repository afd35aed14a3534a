// SPDX-License-Identifier: Apache-2.0
#include "commands/check/fresh_memory.hpp"

#include <gnu/libc-version.h>
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

namespace tenon {
namespace {

// glibc reuses blocks that a thread has just freed without filling them, whatever M_PERTURB says: 7 of each size, or 16
// since version 2.42. Filling them takes a third of the time of a check, so no more are filled than are kept.
constexpr std::size_t kLargestKept = 1032;
constexpr std::size_t kSizeStep = 16;
constexpr std::size_t kMostKept = 16;

std::size_t kept_of_each() {
    static const std::size_t count = [] {
        char* rest = nullptr;
        const long major = std::strtol(::gnu_get_libc_version(), &rest, 10);  // "2.36"
        const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
        return major == 2 && minor < 42 ? std::size_t{7} : kMostKept;
    }();
    return count;
}

// Volatile, because the compiler would otherwise remove writes that nobody reads.
void fill(void* piece, std::size_t size, unsigned char byte) {
    void* (*const volatile set)(void*, int, std::size_t) = &std::memset;
    set(piece, byte, size);
}

void fill_kept_pieces(unsigned char byte) {
    std::array<void*, kMostKept> all{};
    const std::span pieces(all.data(), kept_of_each());
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
