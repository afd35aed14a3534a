// SPDX-License-Identifier: Apache-2.0
// Counts what each thread of this program allocates, inside of marked regions and outside: malloc and its kin, where
// operator new ends too. Under a sanitizer, which has its own malloc, operator new alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenon::test {

struct Allocations {
    std::uint64_t outside = 0;
    std::uint64_t marked = 0;
};

// By order of the threads' first allocations, the main thread first; what comes after the last shares its place.
inline constexpr std::size_t kThreads = 16;
using AllocationsPerThread = std::array<Allocations, kThreads>;

AllocationsPerThread allocations();

// In any thread, marked or not.
std::uint64_t all_allocations();

// What this thread allocates while one lives is marked.
class MarkedRegion {
public:
    MarkedRegion();
    ~MarkedRegion();
    MarkedRegion(const MarkedRegion&) = delete;
    MarkedRegion& operator=(const MarkedRegion&) = delete;

private:
    bool before_;
};

// While one lives, the first allocation outside of a marked region leaves its stack on stderr.
class TraceAllocations {
public:
    TraceAllocations();
    ~TraceAllocations();
    TraceAllocations(const TraceAllocations&) = delete;
    TraceAllocations& operator=(const TraceAllocations&) = delete;
};

}  // namespace tenon::test
