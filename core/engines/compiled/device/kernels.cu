// SPDX-License-Identifier: Apache-2.0
// All kernels of updates: nvcc makes an image of this file for every architecture.
#include "engines/compiled/device/copies.cuh"
#include "engines/compiled/device/draws.cuh"
#include "engines/compiled/device/images.cuh"
#include "engines/compiled/device/loops.cuh"
#include "engines/compiled/device/optimisers.cuh"
#include "engines/compiled/device/products.cuh"
#include "engines/compiled/device/products_few.cuh"
#include "engines/compiled/device/products_lines.cuh"
#include "engines/compiled/device/products_long.cuh"
#include "engines/compiled/device/products_narrow.cuh"
#include "engines/compiled/device/products_small.cuh"
#include "engines/compiled/device/products_wide.cuh"
#include "engines/compiled/device/reductions.cuh"
#include "engines/compiled/device/rows.cuh"
#include "engines/compiled/device/run.cuh"
#include "engines/compiled/device/scans.cuh"
#include "engines/compiled/device/steps.cuh"

#define TENON_BOUND_KERNEL(NAME, WORK, FUNCTION, THREADS, BLOCKS)                                                  \
    extern "C" __global__ void TENON_BOUND(THREADS, BLOCKS) tenon_##FUNCTION(tenon::compiled::device::WORK work) { \
        tenon::compiled::device::FUNCTION(work, {blockIdx.x, gridDim.x});                                          \
    }
#define TENON_KERNEL(NAME, WORK, FUNCTION)                                            \
    extern "C" __global__ void tenon_##FUNCTION(tenon::compiled::device::WORK work) { \
        tenon::compiled::device::FUNCTION(work, {blockIdx.x, gridDim.x});             \
    }
#include "engines/compiled/device/kernels.inc"

extern "C" __global__ void TENON_TOGETHER TENON_BOUND(kProductThreads, 1)
    tenon_run(tenon::compiled::device::RunWork work) {
    tenon::compiled::device::run(work, tenon::compiled::device::Interpreted{});
}
