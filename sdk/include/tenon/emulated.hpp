// SPDX-License-Identifier: Apache-2.0
// CUDA's keywords for a compiler without CUDA: the same source of a kernel runs on the CPU, for tests. A thread of a
// block is a fiber; a barrier returns to the loop that runs the others. Between two barriers the fibers of a block run
// one after the other, in an order that is shuffled each time, so that a forgotten barrier gives other results. Blocks
// follow each other; those of a cluster, which the host launches, take turns. With AddressSanitizer, a kernel that
// leaves its memory is reported with its line.
#pragma once

#ifndef __CUDACC__

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tenon/abi/device.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace tenon::emulated {

struct Index {
    unsigned x, y, z;
};

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    Index at;
    bool done;
};

// A block that is running in this thread.
struct Machine {
    static constexpr std::size_t kStack = 65536;

    Index thread{};
    Index block{};
    Index block_size{};
    Index grid_size{};
    ucontext_t loop{};
    std::vector<Fiber> fibers;
    std::vector<unsigned> order;
    Fiber* running = nullptr;
    void (*call)(void* const*) = nullptr;
    void* const* arguments = nullptr;
    void (*wait_for_blocks)(void* cluster) = nullptr;  // null: blocks follow each other
    void* cluster = nullptr;
    std::uint64_t shuffles = 0x9E3779B97F4A7C15U;
    void* loop_fake = nullptr;
    const void* loop_stack = nullptr;
    std::size_t loop_stack_size = 0;
};

inline Machine& machine() {
    thread_local Machine one;
    return one;
}

// To the fiber, and back from it. AddressSanitizer must know on which stack the program is.
inline void enter(Machine& m, Fiber& fiber) {
    m.running = &fiber;
    m.thread = fiber.at;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&m.loop_fake, fiber.stack.get(), Machine::kStack);
#endif
    swapcontext(&m.loop, &fiber.context);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(m.loop_fake, nullptr, nullptr);
#endif
}
inline void leave(Machine& m, [[maybe_unused]] bool ends) {
#ifdef __SANITIZE_ADDRESS__
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(ends ? nullptr : &fake, m.loop_stack, m.loop_stack_size);
#endif
    swapcontext(&m.running->context, &m.loop);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake, &m.loop_stack, &m.loop_stack_size);
#endif
}

inline void begin_fiber() {
    Machine& m = machine();
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &m.loop_stack, &m.loop_stack_size);
#endif
    m.call(m.arguments);
    m.running->done = true;
    leave(m, true);
}

inline void barrier() {
    leave(machine(), false);
}

// A barrier of all blocks that are launched together. One fiber waits for the other blocks.
inline void cluster_barrier() {
    barrier();
    const Machine& m = machine();
    if (m.wait_for_blocks == nullptr) {
        return;
    }
    if (m.thread.x == 0 && m.thread.y == 0 && m.thread.z == 0) {
        m.wait_for_blocks(m.cluster);
    }
    barrier();
}

// A number below `count`.
inline unsigned draw_below(std::uint64_t& shuffles, unsigned count) {
    shuffles = shuffles * 6364136223846793005U + 1442695040888963407U;
    return static_cast<unsigned>((shuffles >> 33U) % count);
}

inline void run_block(Machine& m) {
    const unsigned threads = m.block_size.x * m.block_size.y * m.block_size.z;
    if (m.fibers.size() < threads) {
        m.fibers.resize(threads);
    }
    m.order.resize(threads);
    for (unsigned i = 0; i < threads; ++i) {
        Fiber& fiber = m.fibers[i];
        if (!fiber.stack) {
            fiber.stack.reset(new char[Machine::kStack]);
        }
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = Machine::kStack;
        fiber.context.uc_link = nullptr;
        fiber.at = {i % m.block_size.x, i / m.block_size.x % m.block_size.y, i / m.block_size.x / m.block_size.y};
        fiber.done = false;
        makecontext(&fiber.context, &begin_fiber, 0);
        m.order[i] = i;
    }
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = threads; i > 1; --i) {
            std::swap(m.order[i - 1], m.order[draw_below(m.shuffles, i)]);
        }
        for (const unsigned i : m.order) {
            if (!m.fibers[i].done) {
                enter(m, m.fibers[i]);
                again = again || !m.fibers[i].done;
            }
        }
    }
}

template <auto Kernel>
struct Launch;
template <class... Arguments, void (*Kernel)(Arguments...)>
struct Launch<Kernel> {
    template <std::size_t... I>
    static void call(void* const* arguments, std::index_sequence<I...> /*numbers*/) {
        Kernel(*static_cast<Arguments*>(arguments[I])...);
    }
    static void prepare(Machine& m, const std::uint32_t* grid, const std::uint32_t* block, void* const* arguments) {
        m.grid_size = {grid[0], grid[1], grid[2]};
        m.block_size = {block[0], block[1], block[2]};
        m.arguments = arguments;
        m.call = [](void* const* given) { call(given, std::index_sequence_for<Arguments...>()); };
    }
    static void run(const std::uint32_t* grid, const std::uint32_t* block, void* const* arguments) {
        Machine& m = machine();
        prepare(m, grid, block, arguments);
        for (unsigned z = 0; z < grid[2]; ++z) {
            for (unsigned y = 0; y < grid[1]; ++y) {
                for (unsigned x = 0; x < grid[0]; ++x) {
                    m.block = {x, y, z};
                    run_block(m);
                }
            }
        }
    }
};

// An entry of a tn_emulated_image.
template <auto Kernel>
constexpr tn_emulated_kernel kernel(const char* name) {
    return {name, &Launch<Kernel>::run};
}

// What CUDA's atomic functions do; fibers do not interrupt each other.
template <class T, class Change>
T atomically(T* at, const Change& change) {
    const T old = *at;
    *at = change(old);
    return old;
}

}  // namespace tenon::emulated

// NOLINTBEGIN: CUDA's own names
#define __global__ inline
#define __device__
#define __shared__ static thread_local
#define __syncthreads() ::tenon::emulated::barrier()
#define threadIdx (::tenon::emulated::machine().thread)
#define blockIdx (::tenon::emulated::machine().block)
#define blockDim (::tenon::emulated::machine().block_size)
#define gridDim (::tenon::emulated::machine().grid_size)
inline unsigned atomicMax(unsigned* at, unsigned value) {
    return ::tenon::emulated::atomically(at, [&](unsigned old) { return old > value ? old : value; });
}
inline unsigned long long atomicMax(unsigned long long* at, unsigned long long value) {
    return ::tenon::emulated::atomically(at, [&](unsigned long long old) { return old > value ? old : value; });
}
inline unsigned atomicCAS(unsigned* at, unsigned expected, unsigned value) {
    return ::tenon::emulated::atomically(at, [&](unsigned old) { return old == expected ? value : old; });
}
inline std::uint64_t __umul64hi(std::uint64_t a, std::uint64_t b) {
    __extension__ using Product = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Product>(a) * b >> 64);
}
inline float __uint_as_float(unsigned bits) {
    return __builtin_bit_cast(float, bits);
}
inline unsigned __float_as_uint(float number) {
    return __builtin_bit_cast(unsigned, number);
}
inline double __longlong_as_double(long long bits) {
    return __builtin_bit_cast(double, bits);
}
inline long long __double_as_longlong(double number) {
    return __builtin_bit_cast(long long, number);
}
// NOLINTEND

#endif
