// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), to distinguish plugin files. It is our own code because the alternative would be a dependency
// on a whole cryptography library for one function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error/result.hpp"

namespace tenon {

// Whether this processor has instructions for SHA-256, which take a fifth of the time.
bool has_sha_instructions();

class Sha256 {
public:
    explicit Sha256(bool by_instructions = has_sha_instructions()) : by_instructions_(by_instructions) {}
    void add(std::string_view bytes);
    // 64 lower-case hexadecimal digits. Nothing may be added afterwards.
    std::string finish();

private:
    void take(const unsigned char* bytes, std::size_t blocks);

    bool by_instructions_;
    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> rest_{};
    std::size_t used_ = 0;
    std::uint64_t total_ = 0;
};

std::string sha256(std::string_view bytes);
// Block by block: the file of a buffer may exceed the free memory.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace tenon
