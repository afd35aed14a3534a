// SPDX-License-Identifier: Apache-2.0
// Orthonormalises rows.
#pragma once

#include <cstddef>
#include <span>

namespace tenon {

// Replaces `count` <= `length` independent rows of `length` elements by their Gram-Schmidt basis: the Q of the QR
// decomposition of the transposed matrix whose R has a positive diagonal, which makes it unique.
void orthonormalise(std::span<double> rows, std::size_t count, std::size_t length);

}  // namespace tenon
