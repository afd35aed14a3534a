// SPDX-License-Identifier: Apache-2.0
// The plugin's own file, without an image for GPUs.
#include "replay_cuda/kernels.cpp"
