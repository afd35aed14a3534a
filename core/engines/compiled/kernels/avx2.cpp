// SPDX-License-Identifier: Apache-2.0
#define TENON_KERNELS avx2
#include "engines/compiled/kernels/set.inc"
