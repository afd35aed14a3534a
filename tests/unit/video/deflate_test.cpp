// SPDX-License-Identifier: Apache-2.0
// Compression: how small texts become, and two streams bit by bit. That what it writes is read by others as it was is
// shown by cli.play, which reads whole videos with zlib.
#include <cstdint>
#include <string>

#include "run/video/deflate.hpp"
#include "support/catch.hpp"

namespace deflate_test {

TEST_CASE("a stream has a header, one block and a checksum") {
    // 78 01; the bits 1 (last), 01 (fixed codes), 10010001 ('a'), 0000000 (end), from the lowest; Adler-32 of "a".
    CHECK(tenon::compress("a") == std::string("\x78\x01\x4b\x04\x00\x00\x62\x00\x62", 9));
    CHECK(tenon::compress("") == std::string("\x78\x01\x03\x00\x00\x00\x00\x01", 8));
}

TEST_CASE("what repeats becomes small") {
    CHECK(tenon::compress(std::string(1'000'000, '\0')).size() < 10'000);
    std::string text;
    for (int i = 0; i < 1000; ++i) {
        text += "the same words again ";
    }
    CHECK(tenon::compress(text).size() < 300);
}

TEST_CASE("what does not repeat grows by little") {
    std::string text;
    std::uint32_t number = 1;
    for (int i = 0; i < 100'000; ++i) {
        number = number * 1664525U + 1013904223U;
        text.push_back(static_cast<char>(number >> 24U));
    }
    CHECK(tenon::compress(text).size() < 108'000);
}

}  // namespace deflate_test
