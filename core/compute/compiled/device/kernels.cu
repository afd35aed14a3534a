// SPDX-License-Identifier: Apache-2.0
// All kernels of updates: nvcc makes an image of this file for every architecture.
#include "compute/compiled/device/copies.cuh"
#include "compute/compiled/device/draws.cuh"
#include "compute/compiled/device/loops.cuh"
#include "compute/compiled/device/products.cuh"
#include "compute/compiled/device/reductions.cuh"
#include "compute/compiled/device/rows.cuh"
#include "compute/compiled/device/scans.cuh"
#include "compute/compiled/device/steps.cuh"
