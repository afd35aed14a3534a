// SPDX-License-Identifier: Apache-2.0
// The kernels of frames once more, with AddressSanitizer.
#include "engines/cuda/frames/kernels.cpp"
