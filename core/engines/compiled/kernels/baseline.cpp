// SPDX-License-Identifier: Apache-2.0
#define TENON_KERNELS baseline
#include "engines/compiled/kernels/set.inc"
