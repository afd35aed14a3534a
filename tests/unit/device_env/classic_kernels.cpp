// SPDX-License-Identifier: Apache-2.0
// The plugin's own file, without kernels for GPUs.
#include "classic/kernels.cpp"
