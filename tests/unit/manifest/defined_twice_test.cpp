// SPDX-License-Identifier: Apache-2.0
// A key that is given twice: both places are shown.
#include <string>

#include "written.hpp"

namespace defined_twice_test {

namespace {

struct Case {
    std::string text;
    std::string sentence;  // behind "not valid TOML: "
    std::string second;    // line:column
    std::string first;
};

std::string at(const tenon::Place& place) {
    return std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace

TEST_CASE("both places of what is given twice are shown") {
    const Case cases[] = {
        {"[env]\nlanes = 1\nx = 2\n  lanes = 3\n", "'lanes' is given twice", "4:3", "2:1"},
        {"[env]\nlanes = 1\n[run]\n[env]\nx = 1\n", "[env] is given twice", "4:1", "1:1"},
        {"[a.b]\n[a]\nx = 1\n[a]\n", "[a] is given twice", "4:1", "2:1"},
        {"a.b = 1\na.b = 2\n", "'a.b' is given twice", "2:1", "1:1"},
        {"a = {x=1, y=2, x=3}\n", "'x' is given twice", "1:16", "1:6"},
        {"b = [{x=1}, {x=1, x=2}]\n", "'x' is given twice", "1:19", "1:14"},
        {"t = [1, # [\n2]\nu = \"t = 1\"\nt = [\n3]\n", "'t' is given twice", "4:1", "1:1"},
        {"s = \"\"\"\na = 1\n\"\"\"\na = 1\n  a = 2\n", "'a' is given twice", "5:3", "4:1"},
        {"s = '''a' = 1'''\na = '\\'\na = 2\n", "'a' is given twice", "3:1", "2:1"},
        {"s = \"\\\"\"\na = 1\na = 2\n", "'a' is given twice", "3:1", "2:1"},
        {"[[t]]\nx = 1\n[[t]]\nx = 1\n[t.u]\nx = 2\nx = 3\n", "'x' is given twice", "7:1", "6:1"},
        {"[[t]]\nx = 1\n[[t]]\ny = 2\nx = 3\nx = 4\n", "'x' is given twice", "6:1", "5:1"},
        {"\xef\xbb\xbfx = \"\xc3\xa9\"\r\n\xe2\x82\xac = 1 # no\r\n", "", "", ""},
        {"\xef\xbb\xbf[\"\xc3\xa9\"]\r\n\"\xc3\xa9\".x = 1\r\n\"\xc3\xa9\".x = 2\r\n",
         "'\"\xc3\xa9\".x' is given twice", "3:1", "2:1"},
        {"\xef\xbb\xbfx = 1\nx = 2\n", "'x' is given twice", "2:1", "1:1"},
    };
    for (const Case& each : cases) {
        CAPTURE(each.text);
        const tenon::Result<tenon::TomlTable> table = tenon::parse_toml(each.text, "m.toml");
        REQUIRE_FALSE(table);
        const tenon::Problem& problem = table.error();
        if (each.sentence.empty()) {
            CHECK(problem.also.empty());
            continue;
        }
        CHECK(problem.sentence == "not valid TOML: " + each.sentence);
        CHECK(at(problem.place) == each.second);
        REQUIRE(problem.also.size() == 1);
        CHECK(at(problem.also[0]) == each.first);
        CHECK(problem.also[0].label == "the first time");
    }
}

TEST_CASE("what is given again as something else is shown with its first place") {
    const Case cases[] = {
        {"[env]\nlanes = 1\n[env.lanes]\n", "cannot redefine existing integer 'env.lanes' as table", "3:1", "2:1"},
        {"a = 1\na.b = 2\n", "cannot redefine existing integer as dotted key-value pair", "2:1", "1:1"},
        {"a.b = {c=1}\na.b.d = 2\n", "cannot redefine existing table as dotted key-value pair", "2:1", "1:1"},
        {"[a]\nb.c = 1\n[a.b]\n", "cannot redefine existing table 'a.b'", "3:1", "2:1"},
        {"[[t]]\nx = 1\n[t]\n", "cannot redefine existing array 't' as table", "3:1", "1:1"},
        {"[t]\nx = 1\n[[t]]\n", "cannot redefine existing table 't' as array-of-tables", "3:1", "1:1"},
        {"t = [1]\n[[t]]\n", "cannot redefine existing array 't' as array-of-tables", "2:1", "1:1"},
        {"a = {b.c=1, b=2}\n", "cannot redefine existing table 'b'", "1:13", "1:6"},
    };
    for (const Case& each : cases) {
        CAPTURE(each.text);
        const tenon::Result<tenon::TomlTable> table = tenon::parse_toml(each.text, "m.toml");
        REQUIRE_FALSE(table);
        CHECK_THAT(table.error().sentence, Catch::Matchers::EndsWith(each.sentence));
        CHECK(at(table.error().place) == each.second);
        REQUIRE(table.error().also.size() == 1);
        CHECK(at(table.error().also[0]) == each.first);
    }
}

TEST_CASE("a text in which nothing is given twice has no such places") {
    for (const std::string text : {"=", "[[", "a = [{", "a = \"", "\"", "a = '''", "[a", "a.b"}) {
        const tenon::Result<tenon::TomlTable> table = tenon::parse_toml(text, "m.toml");
        REQUIRE_FALSE(table);
        CHECK(table.error().also.empty());
    }
}

}  // namespace defined_twice_test
