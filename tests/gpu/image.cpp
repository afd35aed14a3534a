// SPDX-License-Identifier: Apache-2.0
// The plugin's own file, with its image for GPUs if there is nvcc.
#include "replay_cuda/image.cpp"
