// SPDX-License-Identifier: Apache-2.0
// The line and column of a character, in each form of a TOML string.
#include "config/manifest/character.hpp"

#include <string>
#include <vector>

#include "written.hpp"

namespace character_test {

namespace {

// "line:column:length" of character `number` of the value x.
std::string place_in(const std::string& toml, std::size_t number, const std::vector<std::string>& sets = {}) {
    const tenon::Document document = document_of(toml, sets);
    const std::optional<tenon::Place> found = place_of_character(*document.root.find("x"), number);
    if (!found) {
        return "none";
    }
    return std::to_string(found->line) + ":" + std::to_string(found->column) + ":" + std::to_string(found->length);
}

}  // namespace

TEST_CASE("a character of a string has its own column, and the length of its word") {
    CHECK(place_in("x = \"1 + qvle[0]\"", 4) == "1:10:4");
    CHECK(place_in("x = '1 + qvle[0]'", 8) == "1:14:1");
    CHECK(place_in("\nx = \"ab\"", 2) == "2:8:1");  // where the string ends
    CHECK(place_in("x = \"ab\"", 3) == "none");
    CHECK(place_in("x = 3", 0) == "none");
}

TEST_CASE("what is written with several characters counts as one") {
    CHECK(place_in(R"(x = "\"\t\u00e9\U0001F600z")", 4) == "1:26:1");
    CHECK(place_in("x = \"\u00e9\u20ac z\"", 3) == "1:9:1");
    CHECK(place_in(R"(x = 'a\tz')", 3) == "1:9:1");
}

TEST_CASE("a string on several lines has a place in each") {
    const std::string text = "x = \"\"\"\nab \\\n   \n  cd\n\nef\"\"\"\n";  // "ab cd\n\nef"
    CHECK(place_in(text, 0) == "2:1:2");
    CHECK(place_in(text, 3) == "4:3:2");
    CHECK(place_in(text, 5) == "4:5:1");
    CHECK(place_in(text, 6) == "5:1:1");
    CHECK(place_in(text, 7) == "6:1:2");
    CHECK(place_in("x = '''a\\\nb'''", 3) == "2:1:1");
    CHECK(place_in("x = \"\"\"\r\nab\r\ncd\"\"\"", 3) == "3:1:2");
}

TEST_CASE("a value that was typed has its place in what was typed") {
    CHECK(place_in("", 4, {"x=1 + qvle"}) == "1:7:4");
    CHECK(place_in("", 4, {"x=\"1 + qvle\""}) == "1:8:4");
}

TEST_CASE("a line too long to be kept has no places inside") {
    CHECK(place_in("x = \"" + std::string(300, 'a') + "\"", 2) == "none");
    CHECK(place_in("x = \"\"\"\n" + std::string(300, 'a') + "\"\"\"", 2) == "none");
}

}  // namespace character_test
