// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/error_text.hpp"

#include <thread>

#include "support/catch.hpp"

namespace error_text_test {

using namespace tenon;

namespace {

std::string through(std::string_view text) {
    keep_error({text.data(), text.size()});
    return take_error();
}

}  // namespace

TEST_CASE("the latest text of this thread counts, once") {
    CHECK(take_error().empty());
    keep_error({"first", 5});
    keep_error({"second", 6});
    std::thread([] {
        CHECK(take_error().empty());
        keep_error({"other", 5});
    }).join();
    CHECK(take_error() == "second");
    CHECK(take_error().empty());
    keep_error({"stale", 5});
    drop_error();
    CHECK(take_error().empty());
}

TEST_CASE("what is not UTF-8 is repaired and control characters are blanks") {
    CHECK(through("plain ü€😀") == "plain ü€😀");
    CHECK(through("a\nb\tc\x7f") == "a b c ");
    CHECK(through("\xff|\xc3|\xe2\x82|\xf0\x9f\x98") == "\uFFFD|\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD\uFFFD");
    CHECK(through("\xc0\xaf \xed\xa0\x80 \xf5") ==
          "\uFFFD\uFFFD \uFFFD\uFFFD\uFFFD \uFFFD");  // overlong, surrogate, too large
    CHECK(repaired("x\xfe") == "x\uFFFD");
}

TEST_CASE("garbage sizes and pointers are bounded") {
    keep_error({nullptr, 1000});
    CHECK(take_error().empty());
    const std::string large(1 << 20, 'x');
    CHECK(through(large) == std::string(4096, 'x'));
    const std::string wide = "ab" + [] {
        std::string text;
        while (text.size() < 5000) {
            text += "€";
        }
        return text;
    }();
    const std::string cut = through(wide);
    CHECK(cut.size() <= 4096);
    CHECK(cut.size() > 4090);
    CHECK(repaired(cut) == cut);  // not cut inside a character into something else
}

}  // namespace error_text_test
