// SPDX-License-Identifier: Apache-2.0
// The plugin's own file, with its kernels for GPUs if there is nvcc.
#include "replay_cuda/kernels.cpp"
