// SPDX-License-Identifier: Apache-2.0
#include "base/json/read.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/json/write.hpp"
#include "base/random/key.hpp"
#include "support/catch.hpp"

namespace read_test {

using namespace tenon;

TEST_CASE("json text becomes a tree of typed values in the order of the text") {
    const auto json =
        parse_json(R"( {"b": [1, 2.5, true, null], "a": {"x": "A\n\"ü"}, "big": 18446744073709551615} )", "it");
    REQUIRE(json);
    const JsonArray& list = *json->find("b")->get<JsonArray>();
    CHECK(*list.at(0).get<std::int64_t>() == 1);
    CHECK(*list.at(1).get<double>() == 2.5);
    CHECK(*list.at(2).get<bool>());
    CHECK(list.at(3).is_null());
    CHECK(*json->find("a")->find("x")->get<std::string>() == "A\n\"ü");
    CHECK(*json->find("big")->get<double>() == 18446744073709551615.0);
    CHECK(json->get<JsonObject>()->at(0).key == "b");
    CHECK(json->find("c") == nullptr);
    CHECK(list.at(0).find("b") == nullptr);
    CHECK(list.at(0).get<double>() == nullptr);
}

TEST_CASE("what is not json is a problem that names subject and byte") {
    CHECK_THAT(parse_json("{\"a\": }", "the note").error().sentence,
               Catch::Matchers::StartsWith("the note is not JSON at byte 6: "));
    CHECK_THAT(parse_json("", "it").error().sentence, Catch::Matchers::StartsWith("it is not JSON at byte 0: "));
    CHECK_THAT(parse_json("{} {}", "it").error().sentence, Catch::Matchers::StartsWith("it is not JSON at byte 3: "));
    CHECK_FALSE(parse_json("{\"a\":1", "it"));
    CHECK_FALSE(parse_json("[1,]", "it"));
    CHECK_FALSE(parse_json("\"\xff\"", "it"));
}

TEST_CASE("lists and objects with an emptied key are read without their content, and what follows is read") {
    const auto json = parse_json(
        R"([{"long": [{"a": "x\n", "long": [1.5, null]}, []], "b": "y"}, {"long": {"a": [2]}}, {"long": 3, "c": [4]}])",
        "it", "long");
    REQUIRE(json);
    std::string text;
    for (const Json& element : *json->get<JsonArray>()) {
        text += std::to_string(element.get<JsonObject>()->size()) + std::to_string(element.find("long")->value.index());
    }
    CHECK(text == "251622");  // members of each, and the type of its "long": a list, an object, an integer
    CHECK(json->get<JsonArray>()->at(0).find("long")->get<JsonArray>()->empty());
    CHECK(json->get<JsonArray>()->at(1).find("long")->get<JsonObject>()->empty());
    CHECK(*json->get<JsonArray>()->at(0).find("b")->get<std::string>() == "y");
    CHECK(json->get<JsonArray>()->at(2).find("c")->get<JsonArray>()->size() == 1);
    CHECK_THAT(parse_json(R"({"long": [{"a" 1}]})", "it", "long").error().sentence,
               Catch::Matchers::StartsWith("it is not JSON at byte 15: "));
    CHECK_FALSE(parse_json(R"({"long": )" + std::string(100'000, '['), "it", "long"));
}

TEST_CASE("hostile depth is refused, not recursed into") {
    CHECK_FALSE(parse_json(std::string(100'000, '['), "it"));
    CHECK(parse_json(std::string(60, '[') + std::string(60, ']'), "it"));
}

// Halfway cases, the ends of the range, and long digits, with the bits that IEEE 754 demands.
TEST_CASE("a double is the nearest one, to the last bit") {
    using Bits = std::pair<const char*, std::uint64_t>;
    for (const auto& [text, bits] : {Bits{"2.2250738585072011e-308", 0x000fffffffffffff},
                                     {"2.2250738585072014e-308", 0x0010000000000000},
                                     {"4.9406564584124654e-324", 0x0000000000000001},
                                     {"2.4703282292062327e-324", 0x0000000000000000},
                                     {"2.4703282292062328e-324", 0x0000000000000001},
                                     {"1.7976931348623157e308", 0x7fefffffffffffff},
                                     {"9007199254740993.0", 0x4340000000000000},
                                     {"9007199254740993.00000000000000000000000001", 0x4340000000000001},
                                     {"0.1000000000000000055511151231257827021181583404541015625", 0x3fb999999999999a},
                                     {"6.02214076e23", 0x44dfe185ca57c517},
                                     {"-8.5e-1", 0xbfeb333333333333},
                                     {"-0.0", 0x8000000000000000},
                                     {"1E+2", 0x4059000000000000},
                                     {"123456789012345678901234567890", 0x45f8ee90ff6c373e}}) {
        CAPTURE(text);
        CHECK(std::bit_cast<std::uint64_t>(*parse_json(text, "it")->get<double>()) == bits);
        const auto list = parse_json("[1, " + std::string(text) + ", 2]", "it");
        CHECK(std::bit_cast<std::uint64_t>(*list->get<JsonArray>()->at(1).get<double>()) == bits);
    }
}

TEST_CASE("a double that is written reads back with the same bits") {
    const tn_key key = make_key(1, "json");
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        const tn_random_block block = tn_philox(key, i);
        const auto number = std::bit_cast<double>((std::uint64_t{block.word[0]} << 32U) | block.word[1]);
        if (std::isfinite(number)) {
            std::string text;
            JsonWriter(text).number(number);
            const Json json = *parse_json(text, "it");
            REQUIRE(std::bit_cast<std::uint64_t>(*json.get<double>()) == std::bit_cast<std::uint64_t>(number));
        }
    }
}

TEST_CASE("numbers that no double can hold") {
    CHECK(*parse_json("1e-400", "it")->get<double>() == 0);
    CHECK(*parse_json("1e400", "it")->get<double>() == std::numeric_limits<double>::infinity());
}

TEST_CASE("of members with the same key the last value is kept, in the first one's place") {
    const auto few = parse_json(R"({"a": 1, "b": 2, "a": 3})", "it");
    REQUIRE(few->get<JsonObject>()->size() == 2);
    CHECK(few->get<JsonObject>()->at(0).key == "a");
    CHECK(*few->find("a")->get<std::int64_t>() == 3);
    std::string text = "{";
    for (int i = 0; i < 100; ++i) {
        text += "\"" + std::to_string(i % 50) + "\": " + std::to_string(i) + (i < 99 ? ", " : "}");
    }
    const auto many = parse_json(text, "it");
    REQUIRE(many->get<JsonObject>()->size() == 50);
    CHECK(*many->find("7")->get<std::int64_t>() == 57);
}

TEST_CASE("strings and keys with escapes are whole") {
    const auto json = parse_json(R"({"a\tb": "x\u00e9\"y"})", "it");
    CHECK(*json->find("a\tb")->get<std::string>() == "x\xc3\xa9\"y");
}

}  // namespace read_test
