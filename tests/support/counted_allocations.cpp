// SPDX-License-Identifier: Apache-2.0
#include "support/counted_allocations.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

struct Counts {
    std::atomic<std::uint64_t> outside{0};
    std::atomic<std::uint64_t> marked{0};
};

std::array<Counts, tenon::test::kThreads> counts;
std::atomic<std::size_t> threads{0};
std::atomic<bool> tracing{false};
thread_local std::size_t place = SIZE_MAX;
thread_local bool in_region = false;

void count() {
    if (place == SIZE_MAX) {
        place = std::min(threads.fetch_add(1), counts.size() - 1);
    }
    (in_region ? counts[place].marked : counts[place].outside).fetch_add(1, std::memory_order_relaxed);
    if (!in_region && tracing.load(std::memory_order_relaxed) && tracing.exchange(false)) {
        std::array<void*, 32> stack{};
        backtrace_symbols_fd(stack.data(), backtrace(stack.data(), static_cast<int>(stack.size())), STDERR_FILENO);
    }
}

}  // namespace

namespace tenon::test {

AllocationsPerThread allocations() {
    AllocationsPerThread out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = {.outside = counts[i].outside.load(), .marked = counts[i].marked.load()};
    }
    return out;
}

MarkedRegion::MarkedRegion() : before_(std::exchange(in_region, true)) {}

MarkedRegion::~MarkedRegion() {
    in_region = before_;
}

std::uint64_t all_allocations() {
    std::uint64_t sum = 0;
    for (const Counts& one : counts) {
        sum += one.outside.load() + one.marked.load();
    }
    return sum;
}

TraceAllocations::TraceAllocations() {
    std::array<void*, 1> warm{};
    backtrace(warm.data(), 1);  // the first call loads a library
    tracing.store(true);
}

TraceAllocations::~TraceAllocations() {
    tracing.store(false);
}

}  // namespace tenon::test

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void* operator new(std::size_t size) {
    count();
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc();
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    count();
    return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

#else

extern "C" {

// glibc's own functions under the names that stay when a program brings its malloc.
void* libc_malloc(std::size_t size) asm("__libc_malloc");
void* libc_calloc(std::size_t number, std::size_t size) asm("__libc_calloc");
void* libc_realloc(void* memory, std::size_t size) asm("__libc_realloc");
void* libc_memalign(std::size_t alignment, std::size_t size) asm("__libc_memalign");

void* malloc(std::size_t size) noexcept {
    count();
    return libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
    count();
    return libc_calloc(number, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
    count();
    return libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    count();
    return libc_memalign(alignment, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    count();
    return libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    count();
    *memory = libc_memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
}

#endif
