// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/note.hpp"

#include "fixture.hpp"
#include "support/catch.hpp"

namespace note_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::string sentence(std::string_view json) {
    const Result<Note> note = parse_note(json, "x.so");
    return note ? "" : note.error().sentence;
}

// A note with one component that has one option.
std::string with_option(const std::string& option) {
    return R"({"abi":[0,1],"name":"x","components":[{"id":"C","kind":"env","options":[)" + option + "]}]}";
}

}  // namespace

TEST_CASE("a note tells everything about a plugin, options included") {
    const Result<Note> note = read_note(fixture("sound"));
    REQUIRE(note);
    CHECK(note->name == "sound");
    CHECK(note->version == "1.2.3");
    CHECK(note->sdk == "none");
    CHECK(note->abi_major == 0);
    CHECK(note->abi_minor_needed == 1);
    REQUIRE(note->components.size() == 1);
    const ComponentNote& component = note->components[0];
    CHECK(component.id == "Count-v1");
    CHECK(component.kind == "env");
    CHECK(component.help == "counts its steps");
    REQUIRE(component.options.size() == 5);
    CHECK(component.options[0].name == "limit");
    CHECK(component.options[0].range == "[1,1000]");
    CHECK(component.options[0].standard == OptionValue(std::int64_t{10}));
    CHECK(component.options[0].help == "steps in an episode");
    CHECK_FALSE(component.options[0].live);
    CHECK(component.options[1].standard == OptionValue(1.0));  // written as an integer, meant as a float
    CHECK(component.options[1].live);
    CHECK(component.options[2].choices == std::vector<std::string>{"up", "down"});
    CHECK(component.options[3].standard == OptionValue(std::vector<double>{0.5, 2.0}));
    CHECK(component.options[4].standard == OptionValue(std::vector<std::string>{"a", "b"}));
}

TEST_CASE("an option without a default must be given") {
    const Result<Note> note = parse_note(with_option(R"({"name":"a","type":"int"})"), "x.so");
    REQUIRE(note);
    CHECK_FALSE(note->components[0].options[0].standard.has_value());
}

TEST_CASE("another ABI is named with both versions, whatever else the note says") {
    CHECK(sentence(R"({"abi":[9,0],"news":1})") ==
          "x.so was built for a newer plugin ABI: it needs 9.0, but this host has 0.1");
    CHECK(sentence(R"({"abi":[0,99]})") == "x.so needs plugin ABI 0.99 or a later minor, but this host has 0.1");
    CHECK(read_note(fixture("newer_major")).error().sentence ==
          fixture("newer_major").string() + " was built for a newer plugin ABI: it needs 9.0, but this host has 0.1");
    CHECK(read_note(fixture("newer_minor")).error().sentence ==
          fixture("newer_minor").string() + " needs plugin ABI 0.99 or a later minor, but this host has 0.1");
}

TEST_CASE("a host runs plugins of its own and of earlier minors") {
    const auto refusal = [](AbiVersion needed, AbiVersion host) {
        const Status status = check_abi(needed, "x.so", host);
        return status ? std::string() : status.error().sentence;
    };
    CHECK(refusal({0, 2}, {0, 2}).empty());
    CHECK(refusal({0, 1}, {0, 2}).empty());
    CHECK(refusal({0, 0}, {0, 2}) == "x.so was built for an older plugin ABI: it needs 0.0, but this host has 0.2");
    CHECK(refusal({0, 3}, {0, 2}) == "x.so needs plugin ABI 0.3 or a later minor, but this host has 0.2");
    CHECK(refusal({1, 0}, {0, 2}) == "x.so was built for a newer plugin ABI: it needs 1.0, but this host has 0.2");
    CHECK(refusal({1, 1}, {1, 2}).empty());
    CHECK(refusal({1, 3}, {1, 2}) == "x.so needs plugin ABI 1.3 or a later minor, but this host has 1.2");
    CHECK(refusal({0, 9}, {1, 2}) == "x.so was built for an older plugin ABI: it needs 0.9, but this host has 1.2");
}

TEST_CASE("damaged notes say what is damaged") {
    CHECK_THAT(read_note(fixture("damaged_note")).error().sentence,
               Catch::Matchers::StartsWith(fixture("damaged_note").string() +
                                           " has a damaged Tenon note: its text is not JSON at byte 1: "));
    CHECK(read_note(fixture("bad_default")).error().sentence ==
          fixture("bad_default").string() +
              " has a damaged Tenon note: the default of B.x must be an int, but is a string");
    const std::string damaged = "x.so has a damaged Tenon note: ";
    CHECK(sentence("[]") == damaged + "it does not say which ABI the plugin needs");
    CHECK(sentence(R"({"abi":[0]})") == damaged + "it does not say which ABI the plugin needs");
    CHECK(sentence(R"({"abi":[0,-1]})") == damaged + "it does not say which ABI the plugin needs");
    CHECK(sentence(R"({"abi":[0,1],"name":"x"})") == damaged + "it has no plugin name or no list of components");
    CHECK(sentence(R"({"abi":[0,1],"components":[]})") == damaged + "it has no plugin name or no list of components");
    CHECK(sentence(R"({"abi":[0,1],"name":"x","components":[{"id":"C"}]})") ==
          damaged + "a component has no id or no kind");
    CHECK(sentence(R"({"abi":[0,1],"name":"x","components":[{"id":"C","kind":"env"},{"id":"C","kind":"env"}]})") ==
          damaged + "component 'C' is listed twice");
    CHECK(sentence(R"({"abi":[0,1],"name":"x","components":[{"id":"C","kind":"env","options":3}]})") ==
          damaged + "the options of C are not a list");
    CHECK(sentence(with_option(R"({"name":"a","type":"complex"})")) ==
          damaged + "an option of C has no name, or an unknown type");
    CHECK(sentence(with_option(R"({"name":"a","type":"int","range":"1 to 3"})")) ==
          damaged + "the range of C.a, '1 to 3', is not a range");
    CHECK(sentence(with_option(R"({"name":"a","type":"ints","default":[1,"b"]})")) ==
          damaged + "the default of C.a is not of its type");
    CHECK(sentence(with_option(R"({"name":"a","type":"int","default":{}})")) ==
          damaged + "the default of C.a must be an int, but is a table");
    CHECK(sentence(with_option(R"({"name":"a","type":"int"},{"name":"a","type":"int"})")) ==
          damaged + "option 'a' of C is listed twice");
    CHECK_THAT(sentence(with_option(R"({"name":"a","type":"int","default":7,"range":"[0,1]"})")),
               Catch::Matchers::StartsWith(damaged + "the default of C.a must be in [0,1]"));
}

}  // namespace note_test
