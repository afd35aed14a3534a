// SPDX-License-Identifier: Apache-2.0
// The kernels of stored frames (launches.hpp), as images for both kinds of devices.
#pragma once

namespace tenon::frames {

const void* emulated_image();
// Null if this was built without nvcc.
const void* image_for_cuda();

}  // namespace tenon::frames
