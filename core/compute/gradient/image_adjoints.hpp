// SPDX-License-Identifier: Apache-2.0
// The gradients of convolutions and pooling, as products over patches.
#pragma once

#include "compute/gradient/adjoints.hpp"

namespace tenon::graph {

// The gradient of the image of a convolution.
V of_image(const Differentiated& k, V g);
// The gradient of the filter [out, in, height, width] of a convolution, from its `image` and the gradient `g` of its
// result.
V of_filter(V filter, V image, V g, std::int64_t stride, std::int64_t padding);
// The gradient of the image of a max pooling, whose result is the first of the largest elements of each window.
V of_largest(const Differentiated& k, V g);

}  // namespace tenon::graph
