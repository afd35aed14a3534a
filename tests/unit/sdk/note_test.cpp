// SPDX-License-Identifier: Apache-2.0
#include "tenon/note.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"
#include "tenon/plugin.hpp"

namespace note_test {

namespace {

struct Plain {
    explicit Plain(const tn_create_args&) {}
    static const void* get_interface(std::string_view interface) { return interface == "x/1" ? "an x" : nullptr; }
};

struct Author {
    double rate;
    std::vector<std::int64_t> sizes;
    std::vector<std::string> names;
    std::string path;
    bool flag;
    tenon::Table more;
    tenon::FilePath file;
    tenon::FileOrName program;

    static constexpr auto options = std::tuple{
        tenon::live<&Author::rate>("rate", 1e-8, "[0,1]", "how \"fast\"\n\\ slow \x01"),
        tenon::option<&Author::sizes>("sizes", {1, -2}, "", "many"),
        tenon::option<&Author::names>("names", {}, "a|b", "few"),
        tenon::required<&Author::path>("path", "", "where it lies"),
        tenon::option<&Author::flag>("flag", false, "a flag"),
        tenon::option<&Author::more>("more", "anything else"),
        tenon::required<&Author::file>("file", "", "a file"),
        tenon::option<&Author::program>("program", "", "a program"),
    };
};

struct TestPlugin {
    static constexpr const char* kName = "test";
    static constexpr const char* kVersion = "1.2.3";
    static constexpr auto kComponents = std::tuple{tenon::component<Plain, Author>("One-v1", "env", "the first"),
                                                   tenon::component<Plain, Plain>("two", "buffer", "the second")};
};

// Two components of one type.
struct Place {
    std::string town;
    std::string street;
    static constexpr auto options = std::tuple{
        tenon::option<&Place::town>("town", "Ulm", "which"),
        tenon::option<&Place::street>("street", "Main", "which"),
    };
};
struct PresetPlugin {
    static constexpr const char* kName = "places";
    static constexpr const char* kVersion = "1";
    static constexpr auto kComponents =
        std::tuple{tenon::component<Plain, Place>("one", "env", "a"),
                   tenon::component<Plain, Place>("two", "env", "b", {"street", "Side"})};
};
constexpr auto kPresetNote = tenon::make_note<PresetPlugin>();

constexpr auto kNote = tenon::make_note<TestPlugin>();
constexpr tn_plugin_entry kEntry = tenon::PluginEntry<TestPlugin>::make();

}  // namespace

TEST_CASE("the note is laid out as ELF wants it and holds the JSON of abi/plugin.h") {
    const std::string expected = R"({"abi":[0,1],"name":"test","version":"1.2.3","sdk":"0.1.0","components":[)"
                                 R"({"id":"One-v1","kind":"env","help":"the first","options":[)"
                                 R"({"name":"rate","type":"float","default":1e-8,"range":"[0,1]","live":true,)"
                                 R"("help":"how \"fast\"\n\\ slow \u0001"},)"
                                 R"({"name":"sizes","type":"ints","default":[1,-2],"help":"many"},)"
                                 R"({"name":"names","type":"strings","default":[],"choices":"a|b","help":"few"},)"
                                 R"({"name":"path","type":"string","help":"where it lies"},)"
                                 R"({"name":"flag","type":"bool","default":false,"help":"a flag"},)"
                                 R"({"name":"more","type":"table","default":{},"help":"anything else"},)"
                                 R"({"name":"file","type":"string","path":"file","help":"a file"},)"
                                 R"({"name":"program","type":"string","default":"",)"
                                 R"("path":"file_or_name","help":"a program"}]},)"
                                 R"({"id":"two","kind":"buffer","help":"the second","options":[]}]})";
    CHECK(std::string(kNote.description, kNote.description_size) == expected);
    CHECK(kNote.name_size == 6);
    CHECK(std::string(kNote.name) == TN_NOTE_NAME);
    CHECK(kNote.type == TN_NOTE_TYPE);
    CHECK(sizeof(kNote.description) % 4 == 0);
    for (std::size_t i = kNote.description_size; i < sizeof(kNote.description); ++i) {
        CHECK(kNote.description[i] == 0);
    }
    CHECK(sizeof(kNote) == 12 + 8 + sizeof(kNote.description));
}

TEST_CASE("a preset is the default of its component alone") {
    const std::string note(kPresetNote.description, kPresetNote.description_size);
    const std::size_t second = note.find(R"("id":"two")");
    const std::string town = R"({"name":"town","type":"string","default":"Ulm")";
    CHECK(note.find(R"({"name":"street","type":"string","default":"Main")") < second);
    CHECK(note.find(R"({"name":"street","type":"string","default":"Side")", second) != std::string::npos);
    CHECK(note.find("Side") > second);
    CHECK(note.find(town) < second);
    CHECK(note.find(town, second) != std::string::npos);
}

TEST_CASE("the entry finds components by their whole id") {
    CHECK(kEntry.magic == TN_ENTRY_MAGIC);
    CHECK(kEntry.component_count == 2);
    REQUIRE(kEntry.get_component("two") != nullptr);
    CHECK(std::string(kEntry.get_component("two")->kind) == "buffer");
    CHECK(kEntry.get_component("tw") == nullptr);
    CHECK(kEntry.get_component("two ") == nullptr);
    CHECK(kEntry.get_component("") == nullptr);
    CHECK(kEntry.get_component("One-v1")->get_interface("x/1") != nullptr);
    CHECK(kEntry.get_component("One-v1")->get_interface("x/2") == nullptr);
}

TEST_CASE("the entry refuses a host that offers less than the SDK uses") {
    tenon::test::PluginHost host;
    CHECK(kEntry.init(&host.table()) == TN_OK);
    CHECK(kEntry.init(&host.table()) == TN_OK);
    kEntry.deinit();
    kEntry.deinit();
    tn_host old = host.table();
    old.struct_size = 24;
    CHECK(kEntry.init(&old) == TN_FAILED_PRECONDITION);
    CHECK(kEntry.init(nullptr) == TN_FAILED_PRECONDITION);
}

TEST_CASE("create refuses arguments it cannot read") {
    const tn_component* component = kEntry.get_component("two");
    void* self = nullptr;
    tn_create_args args{};
    CHECK(component->create(nullptr, &self) == TN_INVALID_ARGUMENT);
    args.struct_size = sizeof(args);
    CHECK(component->create(&args, &self) == TN_INVALID_ARGUMENT);  // no host
    CHECK(self == nullptr);
}

}  // namespace note_test
