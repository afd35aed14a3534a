// SPDX-License-Identifier: Apache-2.0
// Reading manifest files: order, places, TOML that is wrong, files that are not there, includes.
#include "config/manifest/document.hpp"

#include <string>
#include <vector>

#include "config/manifest/document_text.hpp"
#include "written.hpp"

namespace document_test {

using tenon::Document;
using tenon::read_manifest;
using tenon::Result;

namespace {

std::string wrong(const TestFolder& folder, const std::string& file) {
    tenon::Problems problems;
    const std::optional<Document> document = read_manifest(file, {}, problems);
    REQUIRE_FALSE(document);
    REQUIRE(problems.size() == 1);
    return folder.local(render(problems[0]));
}

std::string not_toml(const std::string& text) {
    const Result<tenon::TomlTable> table = tenon::parse_toml(text, "m.toml");
    REQUIRE_FALSE(table);
    return render(table.error());
}

}  // namespace

TEST_CASE("a document keeps the order and the places of what was written") {
    const Document document =
        document_of("z = 1\n[run]\n  b   = \"\xc3\xa9\" # c\na.c = [1, 2.5]\n[[env.transforms]]\nk=3\n[env]\ny=true\n");
    const tenon::TomlTable& root = document.root;
    REQUIRE(root.entries.size() == 3);
    CHECK(root.entries[0].key == "z");
    CHECK(root.entries[1].key == "run");
    CHECK(root.entries[2].key == "env");
    const tenon::TomlNode& run = root.entries[1].node;
    CHECK(run.place.line == 2);
    CHECK(run.place.length == 5);
    const tenon::TomlNode& b = *run.table()->find("b");
    CHECK((b.place.line == 3 && b.place.column == 9 && b.place.length == 3));
    CHECK((b.key_place.line == 3 && b.key_place.column == 3 && b.key_place.length == 1));
    CHECK(b.place.excerpt == "  b   = \"\xc3\xa9\" # c");
    const tenon::TomlNode& c = *run.table()->find("a")->table()->find("c");
    CHECK((c.place.line == 4 && c.place.column == 7 && c.place.length == 8));
    CHECK((c.list()->at(1).place.column == 11 && c.list()->at(1).place.length == 3));
    CHECK(root.entries[2].node.table()->find("transforms")->is_table_list());
}

TEST_CASE("a byte order mark and carriage returns are no part of any place") {
    const Document document = document_of("\xef\xbb\xbfx = 1\r\ny = 2\r\n");
    const tenon::TomlNode& x = *document.root.find("x");
    CHECK((x.place.line == 1 && x.place.column == 5 && x.place.excerpt == "x = 1"));
}

TEST_CASE("what is not TOML is shown with line, column and caret") {
    CHECK(not_toml("[run]\nseed = \n") ==
          "error: not valid TOML: error while parsing key-value pair: expected value, saw '\\n'\n"
          " --> m.toml:2:8\n"
          "  |\n"
          "2 | seed = \n"
          "  |        ^");
    CHECK(not_toml("a = 1\na = 2\n") ==
          "error: not valid TOML: 'a' is given twice\n"
          " --> m.toml:2:1\n"
          "  |\n"
          "2 | a = 2\n"
          "  | ^\n"
          " --> m.toml:1:1: the first time\n"
          "  |\n"
          "1 | a = 1\n"
          "  | ^");
    CHECK(not_toml("[[[run]]\n") ==
          "error: not valid TOML: error while parsing key: expected bare key starting character or string delimiter, "
          "saw '['\n"
          " --> m.toml:1:3\n"
          "  |\n"
          "1 | [[[run]]\n"
          "  |   ^");
    CHECK(not_toml("day = 1979-05-27\n") ==
          "error: dates and times are not supported\n"
          " --> m.toml:1:7\n"
          "  |\n"
          "1 | day = 1979-05-27\n"
          "  |       ^^^^^^^^^^\n"
          "help: write it as a string, in quotes");
}

TEST_CASE("a string without quotes is told to need them") {
    for (const std::string_view text : {"plugin = classic/CartPole-v1", "name = no", "kind = inner"}) {
        CHECK_THAT(not_toml(std::string(text) + "\n"), Catch::Matchers::EndsWith("\nhelp: write strings in quotes"));
    }
}

TEST_CASE("control characters of a wrong file do not reach the terminal") {
    CHECK(not_toml("a = 1\x1b[31m\n").find('\x1b') == std::string::npos);
}

TEST_CASE("nesting that would exhaust the stack is refused") {
    std::string dots = "a";
    for (int i = 0; i < 200000; ++i) {
        dots += ".a";
    }
    CHECK_THAT(not_toml(dots + " = 1"), Catch::Matchers::StartsWith("error: a line has more than 1000 dots"));
    CHECK_THAT(not_toml(dots.substr(0, 401) + " = 1"),
               Catch::Matchers::StartsWith("error: tables and lists nest deeper than 64"));
    CHECK_THAT(not_toml("a = " + std::string(100000, '[')), Catch::Matchers::StartsWith("error: not valid TOML: "));
}

TEST_CASE("files that cannot be manifests are told apart") {
    const TestFolder folder;
    CHECK(wrong(folder, folder.path() + "/no.toml") == "error: there is no file no.toml");
    folder.write("inner/m.toml", "");
    CHECK(wrong(folder, folder.path() + "/inner") == "error: inner is a folder, not a file");
    const std::string large = folder.write("large.toml", std::string((1 << 20) + 1, '#'));
    const std::string of_device = folder.write("device.toml", "include = ['/dev/zero']");
    CHECK_THAT(wrong(folder, of_device),
               Catch::Matchers::StartsWith("error: /dev/zero is a device, not a file\n --> device.toml:1:12"));
    CHECK(wrong(folder, large) == "error: large.toml is larger than 1 MiB, which no manifest is");
}

TEST_CASE("a file that cannot be opened says why") {
    const TestFolder folder;
    std::filesystem::create_symlink("loop.toml", folder.path() + "/loop.toml");
    CHECK(wrong(folder, folder.path() + "/loop.toml") ==
          "error: cannot open loop.toml: Too many levels of symbolic links");
}

TEST_CASE("included files lie below the including one, later over earlier ones") {
    const TestFolder folder;
    folder.write("base/one.toml", "[run]\nname = \"one\"\nseed = 1\nthreads = 1\n[env]\ntransforms = [{k=1}, {k=2}]\n");
    folder.write("base/two.toml", "include = [\"../three.toml\"]\n[run]\nname = \"two\"\nseed = 2\n");
    folder.write("three.toml", "[run]\nseed = 3\ndtype = \"float64\"\n");
    const std::string file = folder.write(
        "m.toml", "include = [\"base/one.toml\", \"base/two.toml\"]\n[run]\nname = \"own\"\n[env]\ntransforms = []\n");
    tenon::Problems problems;
    const std::optional<Document> document = read_manifest(file, {}, problems);
    REQUIRE(document);
    CHECK(flatten(*document) == std::map<std::string, std::string>{{"run.name", "\"own\""},
                                                                   {"run.seed", "2"},
                                                                   {"run.threads", "1"},
                                                                   {"run.dtype", "\"float64\""},
                                                                   {"env.transforms", "[]"}});
    const tenon::TomlTable& run = *document->root.find("run")->table();
    CHECK(folder.local(run.find("seed")->place.file) == "base/two.toml");
    CHECK(folder.local(run.find("dtype")->place.file) == "three.toml");
    CHECK(folder.local(run.find("name")->place.file) == "m.toml");
}

TEST_CASE("a file may be included twice, but not by itself") {
    const TestFolder folder;
    folder.write("base.toml", "x = 1\n");
    folder.write("left.toml", "include = [\"base.toml\"]\n");
    const std::string twice = folder.write("twice.toml", "include = [\"left.toml\", \"base.toml\"]\n");
    tenon::Problems problems;
    CHECK(read_manifest(twice, {}, problems));

    const std::string itself = folder.write("itself.toml", "include = [\"./itself.toml\"]\n");
    CHECK(wrong(folder, itself) ==
          "error: 'itself.toml' includes itself\n"
          " --> itself.toml:1:12\n"
          "  |\n"
          "1 | include = [\"./itself.toml\"]\n"
          "  |            ^^^^^^^^^^^^^^^");
    folder.write("a.toml", "include = [\"b.toml\"]\n");
    const std::string round = folder.write("b.toml", "include = [\"a.toml\"]\n");
    CHECK(wrong(folder, round) ==
          "error: 'b.toml' includes itself through 'a.toml'\n"
          " --> a.toml:1:12\n"
          "  |\n"
          "1 | include = [\"b.toml\"]\n"
          "  |            ^^^^^^^^\n"
          " --> b.toml:1:12\n"
          "  |\n"
          "1 | include = [\"a.toml\"]\n"
          "  |            ^^^^^^^^");
}

TEST_CASE("includes that double at every level end") {
    const TestFolder folder;
    folder.write("f0.toml", "x = 1\n");
    std::string last;
    for (int i = 1; i <= 12; ++i) {
        const std::string below = "\"f" + std::to_string(i - 1) + ".toml\"";
        last = folder.write("f" + std::to_string(i) + ".toml", "include = [" + below + ", " + below + "]\n");
    }
    CHECK_THAT(wrong(folder, last), Catch::Matchers::StartsWith("error: more than 256 files are included"));
}

TEST_CASE("a wrong include is shown where it stands") {
    const TestFolder folder;
    CHECK(wrong(folder, folder.write("m.toml", "\ninclude = [\"x.toml\"]\n")) ==
          "error: there is no file x.toml\n"
          " --> m.toml:2:12\n"
          "  |\n"
          "2 | include = [\"x.toml\"]\n"
          "  |            ^^^^^^^^");
    CHECK(wrong(folder, folder.write("m.toml", "include = \"x.toml\"\n")) ==
          "error: include must be a list of strings, but is a string\n"
          " --> m.toml:1:11\n"
          "  |\n"
          "1 | include = \"x.toml\"\n"
          "  |           ^^^^^^^^\n"
          "help: write include = [\"base.toml\"]");
    CHECK(wrong(folder, folder.write("m.toml", "include = [3]\n")) ==
          "error: include must be a list of strings, but one element is an int\n"
          " --> m.toml:1:12\n"
          "  |\n"
          "1 | include = [3]\n"
          "  |            ^");
    folder.write("bad.toml", "x = \n");
    CHECK(wrong(folder, folder.write("m.toml", "include = [\"bad.toml\"]\n")) ==
          "error: not valid TOML: error while parsing key-value pair: expected value, saw '\\n'\n"
          " --> bad.toml:1:5\n"
          "  |\n"
          "1 | x = \n"
          "  |     ^\n"
          " --> m.toml:1:12\n"
          "  |\n"
          "1 | include = [\"bad.toml\"]\n"
          "  |            ^^^^^^^^^^");
}

}  // namespace document_test
