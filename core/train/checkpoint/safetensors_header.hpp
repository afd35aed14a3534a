// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: the tensors and the offsets of their bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace tenon {

struct SafetensorsHeader {
    std::vector<StoredTensor> tensors;  // in byte order; data is null
    std::vector<std::uint64_t> begins;  // of each, relative to the end of the header
    TensorMetadata metadata;
};

// The bytes of a dense tensor. The problem's sentence begins with `subject`.
Result<std::uint64_t> stored_size(const StoredTensor& tensor, std::string_view subject);

// "F32 [2, 3]", for messages.
std::string describe_stored(std::int32_t dtype, std::span<const std::int64_t> shape);

// The header's JSON, padded with blanks to a multiple of 8 bytes.
Result<std::string> format_safetensors_header(std::span<const StoredTensor> tensors, const TensorMetadata& metadata,
                                              std::string_view subject);

// Checks that the tensors fill `data_size` bytes without gap or overlap.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view text, std::uint64_t data_size,
                                                   std::string_view subject);

}  // namespace tenon
