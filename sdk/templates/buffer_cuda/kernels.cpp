// SPDX-License-Identifier: Apache-2.0
// The kernels for both kinds of devices.
#include "kernels.cu"

#include <tenon/device_image.hpp>

TENON_KERNELS(load_kernels, "recent", tenon::emulated::kernel<&draw>("draw"));
