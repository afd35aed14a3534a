// SPDX-License-Identifier: Apache-2.0
#define TENON_KERNELS baseline
#include "compiled/kernels/set.inc"
