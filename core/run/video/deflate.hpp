// SPDX-License-Identifier: Apache-2.0
// Compression for PNG files: a zlib stream (RFC 1950) with one deflate block (RFC 1951) of fixed Huffman codes. It
// finds repetitions by a table of the last place of each three bytes. Drawn pictures shrink to a few percent.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

std::string compress(std::string_view bytes);

}  // namespace tenon
