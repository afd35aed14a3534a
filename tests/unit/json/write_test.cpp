// SPDX-License-Identifier: Apache-2.0
#include "base/json/write.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/json/read.hpp"
#include "support/catch.hpp"

namespace write_test {

using namespace tenon;

namespace {

std::string number(double value) {
    std::string out;
    JsonWriter(out).number(value);
    return out;
}

void record(std::string& out) {
    out.clear();
    JsonWriter json(out);
    json.begin_object().key("a").integer(-1).key("b").begin_array().number(0.1).boolean(true).null().end_array();
    json.key("c").begin_object().end_object().key("d").text("x").end_object();
}

}  // namespace

TEST_CASE("commas and colons stand where they belong") {
    std::string out;
    record(out);
    CHECK(out == R"({"a":-1,"b":[0.1,true,null],"c":{},"d":"x"})");
}

TEST_CASE("floats are the shortest text that reads back, and look like floats") {
    CHECK(number(1.0) == "1.0");
    CHECK(number(-0.0) == "-0.0");
    CHECK(number(0.1) == "0.1");
    CHECK(number(1e22) == "1e+22");
    CHECK(number(std::nan("")) == "null");
    CHECK(number(-std::numeric_limits<double>::infinity()) == "null");
    std::uint64_t bits = 88172645463325252ULL;
    for (int i = 0; i < 1000; ++i) {
        bits ^= bits << 13U;
        bits ^= bits >> 7U;
        bits ^= bits << 17U;
        const double value = std::bit_cast<double>(bits);
        if (std::isfinite(value)) {
            CHECK(std::strtod(number(value).c_str(), nullptr) == value);
        }
    }
}

TEST_CASE("any text survives writing and reading") {
    std::string text = "quote\" back\\ line\n tab\t bell\a ü€😀";
    text += '\0';
    std::string out;
    JsonWriter(out).text(text);
    const auto read = parse_json(out, "it");
    REQUIRE(read);
    CHECK(*read->get<std::string>() == text);
}

TEST_CASE("what a terminal would obey is escaped, and reads back") {
    const std::string text =
        "\x1b[2J\x7f \xc2\x9b"
        "2J \xe2\x80\xae";
    std::string out;
    JsonWriter(out).text(text);
    CHECK(out == R"("\u001b[2J\u007f \u009b2J \u202e")");
    CHECK(*parse_json(out, "it")->get<std::string>() == text);
}

TEST_CASE("a record written again into the same string does not move it") {
    std::string out;
    record(out);
    const char* before = out.data();
    const std::size_t capacity = out.capacity();
    for (int i = 0; i < 10; ++i) {
        record(out);
    }
    CHECK(out.data() == before);
    CHECK(out.capacity() == capacity);
}

}  // namespace write_test
