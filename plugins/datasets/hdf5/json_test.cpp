// SPDX-License-Identifier: Apache-2.0
// JSON as Python writes it.
#include "json.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "tenon/guard.hpp"

namespace json_test {

using hdf5::Json;
using hdf5::parse_json;

TEST_CASE("Infinity and NaN are numbers, and lists may be nested") {
    const Json json =
        parse_json(R"({"low": [[-Infinity, 1], [2.5e3, Infinity]], "x": NaN, "t": true, "n": null})", "it");
    const std::vector<double> low = json.find("low")->numbers();
    REQUIRE(low.size() == 4);
    CHECK((std::isinf(low[0]) && low[0] < 0));
    CHECK(low[2] == 2500);
    CHECK((std::isinf(low[3]) && low[3] > 0));
    CHECK(std::isnan(*json.find("x")->number()));
    CHECK(json.find("nothing") == nullptr);
}

TEST_CASE("text keeps what is escaped") {
    const Json json = parse_json(R"("a\"b\\cé\n")", "it");
    CHECK(*json.text() == "a\"b\\c\xC3\xA9\n");
    CHECK(hdf5::json_text("a\"b\\") == R"("a\"b\\")");
}

TEST_CASE("what is no JSON names the byte") {
    for (const char* const text : {"", "{", "[1, ", "{\"a\" 1}", "\"open", "nul", "[1] 2", "{1: 2}"}) {
        CHECK_THROWS_AS(parse_json(text, "it"), tenon::InvalidArgument);
    }
    CHECK_THROWS_WITH(parse_json("[1, x]", "the space"), "the space is not valid JSON at byte 4");
}

TEST_CASE("numbers are written as Python reads them") {
    CHECK(hdf5::number_text(-8, false) == "-8.0");
    CHECK(hdf5::number_text(255, true) == "255");
    CHECK(hdf5::number_text(-INFINITY, false) == "-Infinity");
    CHECK(hdf5::number_text(0.1, false) == "0.1");
}

}  // namespace json_test
