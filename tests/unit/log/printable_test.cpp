// SPDX-License-Identifier: Apache-2.0
#include "base/error/printable.hpp"

#include <string>

#include "base/error/problem.hpp"
#include "base/log/log.hpp"
#include "support/captured_stderr.hpp"
#include "support/catch.hpp"

namespace printable_test {

using namespace tenon;

TEST_CASE("text that a terminal shows stays as it is") {
    for (const std::string& text : {std::string(), std::string("a\tb\nc"), std::string("ü€😀 \\x1b")}) {
        CHECK(printable(text) == text);
    }
}

TEST_CASE("what a terminal would obey is escaped, and so are bytes that are no text") {
    CHECK(printable("\x1b[2J\x07\r\x7f") == R"(\x1b[2J\x07\x0d\x7f)");
    CHECK(printable(std::string("a\0b", 3)) == R"(a\x00b)");
    CHECK(printable("\xc2\x9b"
                    "31m") == R"(\u{9b}31m)");
    CHECK(printable("\xe2\x80\xaa|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x81\xa9") == R"(\u{202a}|\u{202e}|\u{2066}|\u{2069})");
    CHECK(printable("\xe2\x80\x99\xe2\x81\xaa") == "\xe2\x80\x99\xe2\x81\xaa");  // their neighbours
    CHECK(printable("\x9b\xc3") == R"(\x9b\xc3)");
    CHECK(printable("\xe2\x80") == R"(\xe2\x80)");
    CHECK(printable("\xed\xa0\x80") == R"(\xed\xa0\x80)");  // a surrogate
    CHECK(printable(printable("\x1b")) == printable("\x1b"));
}

TEST_CASE("problems and log lines are printable") {
    Place place;
    place.file = "\x1b.toml";
    CHECK(render(input_problem("there is no \x1b[31m", place, "try \x07")) ==
          "error: there is no \\x1b[31m\n --> \\x1b.toml\nhelp: try \\x07");
    const test::CapturedStderr captured;
    log(Level::kWarning, "\x1b]0;title\x07");
    CHECK(captured.text() == "warning: \\x1b]0;title\\x07\n");
}

}  // namespace printable_test
