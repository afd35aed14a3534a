// SPDX-License-Identifier: Apache-2.0
// All kernels of frames: nvcc makes an image of this file for every architecture.
#include "engines/cuda/frames/frames.cuh"
