// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls, and the programs that do the same without it (replay.cpp). A target gets any bytes at all; it
// may take or refuse them, but not crash, and what it promises about them it checks with `require`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz/mutation.hpp"

namespace tenon::fuzz {

inline void require(bool holds, const char* sentence) {
    if (!holds) {
        std::fprintf(stderr, "promised and not kept: %s\n", sentence);
        std::abort();
    }
}

inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Input input_of(std::string_view text) {
    return {text.begin(), text.end()};
}

struct Target {
    const char* name;  // also of its folder in corpus/
    void (*run)(std::span<const std::uint8_t> bytes);
    std::uint64_t cost = 1;             // of one input, in those of a parser
    std::vector<Input> (*more)() = {};  // inputs to begin with besides the corpus
    decltype(&mutate_bytes) mutate = &mutate_bytes;
};

std::span<const Target> targets();

}  // namespace tenon::fuzz
