// SPDX-License-Identifier: Apache-2.0
#include "base/json/read.hpp"

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

TEST_CASE("hostile depth is refused, not recursed into") {
    CHECK_FALSE(parse_json(std::string(100'000, '['), "it"));
    CHECK(parse_json(std::string(60, '[') + std::string(60, ']'), "it"));
}

}  // namespace read_test
