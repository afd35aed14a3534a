// SPDX-License-Identifier: Apache-2.0
#define TENON_KERNELS avx512
#include "engines/compiled/kernels/set.inc"
