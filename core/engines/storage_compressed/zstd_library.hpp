// SPDX-License-Identifier: Apache-2.0
// The machine's libzstd, which is looked for when a buffer is compressed (docs/decisions/0026-compressed-buffers.md).
// Nothing links it: its functions are the same in all versions since zstd 1.0.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

class Zstd {
public:
    // The problem says how to install the library.
    static Result<Zstd> open();

    // The compressed bytes, in the first part of `out`, which grows as needed. Level 1 is the fastest of zstd's own.
    Result<std::size_t> compress(std::span<const std::byte> bytes, int level, std::vector<std::byte>& out);
    // Fills `out` exactly; false: the bytes are others than compress gave.
    bool decompress(std::span<const std::byte> bytes, std::span<std::byte> out);

private:
    struct Functions;
    struct Free {
        std::size_t (*free)(void*);
        void operator()(void* context) const { free(context); }
    };
    Zstd(std::shared_ptr<const Functions> functions, void* to_compress, void* to_decompress);

    std::shared_ptr<const Functions> functions_;
    std::unique_ptr<void, Free> to_compress_;
    std::unique_ptr<void, Free> to_decompress_;
};

}  // namespace tenon
