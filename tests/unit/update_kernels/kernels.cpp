// SPDX-License-Identifier: Apache-2.0
// The kernels once more, with AddressSanitizer.
#include "engines/cuda/kernels.cpp"
