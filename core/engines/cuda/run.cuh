// SPDX-License-Identifier: Apache-2.0
// Many small works in one launch. The blocks are a cluster: they run at the same time. A barrier of the cluster also
// makes the results of a block visible to the others, and takes a fraction of the time of a launch. The arguments of
// each step are read during the step before, so that no thread waits for them.
#pragma once

#include <chrono>
#include <cstdint>

#include "engines/cuda/copies.cuh"
#include "engines/cuda/draws.cuh"
#include "engines/cuda/images.cuh"
#include "engines/cuda/loops.cuh"
#include "engines/cuda/optimisers.cuh"
#include "engines/cuda/products.cuh"
#include "engines/cuda/products_lines.cuh"
#include "engines/cuda/products_small.cuh"
#include "engines/cuda/reductions.cuh"
#include "engines/cuda/rows.cuh"
#include "engines/cuda/scans.cuh"
#include "engines/cuda/steps.cuh"

// Below sm_90 there are no clusters, and queue.cpp never launches it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TENON_TOGETHER __cluster_dims__(tenon::compiled::device::kTogether, 1, 1)
#else
#define TENON_TOGETHER
#endif

#ifdef __CUDACC__
#define TENON_BOUND(THREADS, BLOCKS) __launch_bounds__(tenon::compiled::device::THREADS, BLOCKS)
#else
#define TENON_BOUND(THREADS, BLOCKS)
#endif

namespace tenon::compiled::device {

__device__ inline void wait_for_all() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#elif defined(__CUDACC__)
    __syncthreads();
#else
    emulated::cluster_barrier();
#endif
}

// The words of a step that a thread copies: it reads them before the present step, and writes them after it.
inline constexpr unsigned kStepWords = sizeof(RunStep) / sizeof(std::uint64_t);
#ifdef __CUDACC__
inline constexpr int kWordsOfThread = 1;
static_assert(kStepWords <= kProductThreads);
#else
inline constexpr int kWordsOfThread = kStepWords / kProductThreads + 1;
#endif

struct Brought {
    std::uint64_t words[kWordsOfThread];
};

__device__ inline Brought read_step(const RunStep& from) {
    Brought out{};
    for (int i = 0; i < kWordsOfThread; ++i) {
        const unsigned at = threadIdx.x + static_cast<unsigned>(i) * blockDim.x;
        out.words[i] = at < kStepWords ? reinterpret_cast<const std::uint64_t*>(&from)[at] : 0;
    }
    return out;
}

__device__ inline void write_step(RunStep& to, const Brought& brought) {
    for (int i = 0; i < kWordsOfThread; ++i) {
        const unsigned at = threadIdx.x + static_cast<unsigned>(i) * blockDim.x;
        if (at < kStepWords) {
            reinterpret_cast<std::uint64_t*>(&to)[at] = brought.words[i];
        }
    }
}

// A run that is compiled at run time contains only the kernels that it uses.
#ifndef TENON_USED_KERNELS
#define TENON_USED_KERNELS ~0ULL
#endif
constexpr bool is_used(Kernel kernel) {
    return ((TENON_USED_KERNELS >> static_cast<int>(kernel)) & 1U) != 0;
}

// `written(number, work, blocks)` computes works whose code is written out, for the step with this number.
template <class Written>
__device__ inline void run_step(const RunStep& step, std::uint32_t number, Written written) {
    const unsigned turned = blockIdx.x + gridDim.x - step.first_block % gridDim.x;
    const Blocks blocks{turned < gridDim.x ? turned : turned - gridDim.x, gridDim.x};
    switch (step.kernel) {
#define TENON_LARGE_KERNEL(NAME, WORK, FUNCTION)
#define TENON_KERNEL(NAME, WORK, FUNCTION)                               \
    case Kernel::NAME:                                                   \
        if constexpr (is_used(Kernel::NAME)) {                           \
            FUNCTION(*reinterpret_cast<const WORK*>(step.work), blocks); \
        }                                                                \
        break;
#define TENON_WRITTEN_KERNEL(NAME, WORK, FUNCTION)                          \
    case Kernel::NAME:                                                      \
        written(number, *reinterpret_cast<const WORK*>(step.work), blocks); \
        break;
#include "engines/cuda/kernels.inc"
        default:
            break;
    }
}

// Reads loops and copies from the works' tables.
struct Interpreted {
    __device__ void operator()(std::uint32_t /*number*/, const LoopWork& work, Blocks blocks) const {
        loop(work, blocks);
    }
    __device__ void operator()(std::uint32_t /*number*/, const CopyWork& work, Blocks blocks) const {
        copy(work, blocks);
    }
};

__device__ inline void note_time(const RunWork& work, std::uint32_t step) {
    if (work.times == nullptr || blockIdx.x != 0 || threadIdx.x != 0) {
        return;
    }
#ifdef __CUDACC__
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    work.times[step] = now;
#else
    work.times[step] = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Writes the words that the launch brings.
__device__ inline void put_words(const RunWork& work) {
    for (std::int64_t i = first_of_thread({blockIdx.x, gridDim.x}); i < work.word_count;
         i += all_threads({blockIdx.x, gridDim.x})) {
        *work.words[i].to = work.words[i].value;
    }
}

template <class Written>
__device__ inline void run(const RunWork& work, Written written) {
    __shared__ RunStep steps[2];
    put_words(work);
    write_step(steps[0], read_step(work.steps[0]));
    wait_for_all();
    note_time(work, 0);
    for (std::uint32_t s = 0; s < work.count; ++s) {
        const Brought next = read_step(work.steps[s + 1 < work.count ? s + 1 : s]);
        const RunStep& step = steps[s % 2];
        run_step(step, s, written);
        write_step(steps[(s + 1) % 2], next);
        if (step.others_wait != 0) {
            wait_for_all();
        } else {
            __syncthreads();
        }
        note_time(work, s + 1);
    }
}

}  // namespace tenon::compiled::device
