// SPDX-License-Identifier: Apache-2.0
// All kernels of the plugin: nvcc makes an image of this file for every architecture.
#include "prioritised.cuh"
#include "slices.cuh"
