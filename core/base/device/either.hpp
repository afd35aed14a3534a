// SPDX-License-Identifier: Apache-2.0
// Marks a function that the host and kernels call.
#pragma once

#ifdef __CUDACC__
#define TENON_EITHER __host__ __device__ inline
#else
#define TENON_EITHER [[gnu::always_inline]] inline
#endif
