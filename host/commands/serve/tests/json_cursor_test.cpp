// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/json_cursor.hpp"

#include <string>
#include <vector>

#include "base/json/read.hpp"
#include "support/catch.hpp"

namespace tenon::json_cursor_test {

bool is_json(std::string_view text) {
    JsonCursor cursor(text);
    cursor.skip();
    return cursor.complete();
}

TEST_CASE("a cursor reads an object in the order of its text") {
    JsonCursor cursor(R"( {"a" : [1, -2.5e3,0], "b":"x\"\u00e9\ud83d\ude00\n", "c": true, "d": {"e": null}} )");
    REQUIRE(cursor.enter_object());
    CHECK(cursor.next_key() == "a");
    CHECK(cursor.nesting() == 1);
    REQUIRE(cursor.enter_array());
    std::vector<std::string> numbers;
    while (cursor.next_element()) {
        numbers.emplace_back(cursor.number().value_or("?"));
    }
    CHECK(numbers == std::vector<std::string>{"1", "-2.5e3", "0"});
    CHECK(cursor.next_key() == "b");
    CHECK(cursor.text() == "x\"\u00e9\U0001F600\n");
    CHECK(cursor.next_key() == "c");
    CHECK(cursor.boolean() == true);
    CHECK(cursor.next_key() == "d");
    CHECK(cursor.peek() == '{');
    cursor.skip();
    CHECK_FALSE(cursor.next_key());
    CHECK(cursor.complete());
}

TEST_CASE("a cursor takes what the JSON reader takes, and nothing else") {
    for (const std::string_view text : {"[]",
                                        "{}",
                                        "[1]",
                                        "[1,2]",
                                        "[[],[[]]]",
                                        "0",
                                        "-0",
                                        "-1.5E+10",
                                        "\"\"",
                                        "\"\\u0041\"",
                                        "true",
                                        "false",
                                        "null",
                                        " [ 1 , 2 ] ",
                                        R"({"a":{"b":[{}]}})",
                                        "",
                                        "[",
                                        "]",
                                        "[1,]",
                                        "[,1]",
                                        "[1 2]",
                                        "{",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "01",
                                        "1.",
                                        ".5",
                                        "-",
                                        "1e",
                                        "1e+",
                                        "+1",
                                        "\"",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "\"\\ud800\"",
                                        "\"\\udc00\"",
                                        "tru",
                                        "nul",
                                        "[1]]",
                                        "[1] x",
                                        "{\"a\":1}}",
                                        "\"a\nb\"",
                                        "[true,false,null]",
                                        "[\"a\",{\"b\":[1.25]}]"}) {
        INFO(text);
        CHECK(is_json(text) == parse_json(text, "it").has_value());
    }
    CHECK(is_json("[NaN, Infinity, -Infinity]"));  // as Python writes them
    CHECK_FALSE(is_json("[nan]"));
    CHECK(is_json(std::string(32, '[') + std::string(32, ']')));
    CHECK_FALSE(is_json(std::string(33, '[') + std::string(33, ']')));
    CHECK_FALSE(is_json(std::string(1'000'000, '[')));
}

TEST_CASE("a text that is cut or damaged anywhere fails without reading beyond its end") {
    const std::string text =
        R"({"observation": [[0.5, -1e-3], [1, 2]], "client": "\u00e9\ud83d\ude00", "first": [true, false]})";
    CHECK(is_json(text));
    for (std::size_t i = 0; i < text.size(); ++i) {
        CHECK_FALSE(is_json(std::string(text, 0, i)));
        std::string damaged = text;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
        JsonCursor cursor(damaged);
        cursor.skip();
        CHECK(cursor.at() <= damaged.size());
    }
}

TEST_CASE("after a failure nothing more is read") {
    JsonCursor cursor("[1 2]");
    REQUIRE(cursor.enter_array());
    REQUIRE(cursor.next_element());
    CHECK(cursor.number() == "1");
    CHECK_FALSE(cursor.next_element());
    CHECK(cursor.failed());
    CHECK_FALSE(cursor.number());
    CHECK_FALSE(cursor.next_element());
    CHECK_FALSE(cursor.text());
    CHECK(cursor.peek() == '\0');
    CHECK_FALSE(cursor.complete());
}

}  // namespace tenon::json_cursor_test
