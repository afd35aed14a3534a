// SPDX-License-Identifier: Apache-2.0
// The edges of UTF-8 (Unicode 15, table 3-7).
#include "config/manifest/utf8.hpp"

#include <string>

#include "support/catch.hpp"

namespace utf8_test {

TEST_CASE("the first and last code point of every length is text") {
    for (const std::string text :
         {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
          "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "x\xe2\x82\xacy"}) {
        CAPTURE(text);
        CHECK(tenon::is_utf8(text));
    }
    CHECK(tenon::count_code_points("x\xe2\x82\xacy\xf0\x90\x80\x80") == 4);
}

TEST_CASE("cut, overlong, surrogate and too large is no text") {
    for (const std::string text : {"\x80", "\xc1\xbf", "\xc2", "\xc2z", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
                                   "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe2\x82"}) {
        CAPTURE(text);
        CHECK_FALSE(tenon::is_utf8(text));
    }
}

}  // namespace utf8_test
