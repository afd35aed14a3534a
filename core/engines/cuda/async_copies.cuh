// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory that run while threads compute. On the emulated device they are made at once.
#pragma once

#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

// Copies a Four.
__device__ inline void copy_async(Four& to, const float* from) {
#ifdef __CUDACC__
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&to))),
        "l"(from)
        : "memory");
#else
    to = *reinterpret_cast<const Four*>(from);
#endif
}

// Copies up to four floats, and sets the others to zero.
__device__ inline void copy_async(Four& to, const float* from, int count) {
#ifdef __CUDACC__
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&to))),
        "l"(from), "r"(count * 4)
        : "memory");
#else
    for (int i = 0; i < 4; ++i) {
        to.x[i] = i < count ? from[i] : 0.0F;
    }
#endif
}

// Copies a float. The second form sets it to zero if the float does not exist.
__device__ inline void copy_async(float& to, const float* from) {
#ifdef __CUDACC__
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&to))),
                 "l"(from)
                 : "memory");
#else
    to = *from;
#endif
}

__device__ inline void copy_async(float& to, const float* from, bool is_inside) {
#ifdef __CUDACC__
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&to))),
        "l"(from), "r"(is_inside ? 4 : 0)
        : "memory");
#else
    to = is_inside ? *from : 0.0F;
#endif
}

// Ends a group of copies.
__device__ inline void end_copies() {
#ifdef __CUDACC__
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most the thread's last kGroups groups are still running.
template <int kGroups>
__device__ inline void wait_for_older_copies() {
#ifdef __CUDACC__
    asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
#endif
}

// Waits for all copies of the thread.
__device__ inline void wait_for_copies() {
#ifdef __CUDACC__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace tenon::compiled::device
