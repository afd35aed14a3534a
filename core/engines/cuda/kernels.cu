// SPDX-License-Identifier: Apache-2.0
// All kernels of updates: nvcc makes an image of this file for every architecture.
#include "engines/cuda/copies.cuh"
#include "engines/cuda/draws.cuh"
#include "engines/cuda/images.cuh"
#include "engines/cuda/loops.cuh"
#include "engines/cuda/optimisers.cuh"
#include "engines/cuda/products.cuh"
#include "engines/cuda/products_few.cuh"
#include "engines/cuda/products_lines.cuh"
#include "engines/cuda/products_long.cuh"
#include "engines/cuda/products_narrow.cuh"
#include "engines/cuda/products_small.cuh"
#include "engines/cuda/products_wide.cuh"
#include "engines/cuda/reductions.cuh"
#include "engines/cuda/rows.cuh"
#include "engines/cuda/run.cuh"
#include "engines/cuda/scans.cuh"
#include "engines/cuda/steps.cuh"

#define TENON_BOUND_KERNEL(NAME, WORK, FUNCTION, THREADS, BLOCKS)                                                  \
    extern "C" __global__ void TENON_BOUND(THREADS, BLOCKS) tenon_##FUNCTION(tenon::compiled::device::WORK work) { \
        tenon::compiled::device::FUNCTION(work, {blockIdx.x, gridDim.x});                                          \
    }
#define TENON_KERNEL(NAME, WORK, FUNCTION)                                            \
    extern "C" __global__ void tenon_##FUNCTION(tenon::compiled::device::WORK work) { \
        tenon::compiled::device::FUNCTION(work, {blockIdx.x, gridDim.x});             \
    }
#include "engines/cuda/kernels.inc"

extern "C" __global__ void TENON_TOGETHER TENON_BOUND(kProductThreads, 1)
    tenon_run(tenon::compiled::device::RunWork work) {
    tenon::compiled::device::run(work, tenon::compiled::device::Interpreted{});
}
