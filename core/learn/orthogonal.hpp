// SPDX-License-Identifier: Apache-2.0
// Orthonormal rows out of arbitrary ones.
#pragma once

#include <cstddef>
#include <span>

namespace tenon {

// Replaces `count` <= `length` independent rows of `length` elements by the Gram-Schmidt basis of the same spans: the Q
// of a QR decomposition of the transposed matrix whose R has a positive diagonal, which makes it unique.
void orthonormalise(std::span<double> rows, std::size_t count, std::size_t length);

}  // namespace tenon
