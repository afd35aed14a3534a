// SPDX-License-Identifier: Apache-2.0
// --set: where the value lands, what it is, and where a mistake in it is shown.
#include "config/manifest/override.hpp"

#include <string>

#include "config/manifest/document.hpp"
#include "config/manifest/document_text.hpp"
#include "written.hpp"

namespace override_test {

using tenon::Document;

namespace {

std::string refused(const std::string& set, const std::string& text = "[run]\nseed = 1\n") {
    Document document = document_of(text);
    const tenon::Status status = apply_override(document.root, {set, "--set #1"});
    return status ? "accepted" : render(status.error());
}

std::string value_after(const std::string& set, const std::string& path) {
    const auto flat = flatten(document_of("[run]\nseed = 1\n[env]\ntransforms = [{k = 1}, {k = 2}]\n", {set}));
    const auto at = flat.find(path);
    return at == flat.end() ? "nothing" : at->second;
}

}  // namespace

TEST_CASE("a set value replaces, adds, and goes into lists") {
    CHECK(value_after("run.seed=7", "run.seed") == "7");
    CHECK(value_after(" run . seed = 7 # seven", "run.seed") == "7");
    CHECK(value_after("train.minibatch=8", "train.minibatch") == "8");
    CHECK(value_after("env.transforms.1.k=3", "env.transforms.1.k") == "3");
    CHECK(value_after("env.transforms.0.new=[1, 2.5]", "env.transforms.0.new") == "[1, 2.5]");
    CHECK(value_after("env.transforms=[]", "env.transforms") == "[]");
    CHECK(value_after("schedule.\"a.b\"={ from = 1 }", "schedule.a.b.from") == "1");
    CHECK(value_after("schedule.'a.b'.from=1", "schedule.a.b.from") == "1");
    CHECK(value_after("run.name=\"a=b\"", "run.name") == "\"a=b\"");
}

TEST_CASE("an element of a list is named by its plugin") {
    const std::string text =
        "[env]\ntransforms = [{plugin = \"a/clip\"}, {plugin = \"b/norm\"}, {plugin = \"a/norm\"}, {k = 1}]\n";
    const auto changed = [&](const std::string& set) {
        for (const auto& [path, value] : flatten(document_of(text, {set}))) {
            if (path.ends_with(".k") && value == "7") {
                return path;
            }
        }
        return std::string("nothing");
    };
    CHECK(changed("env.transforms.clip.k=7") == "env.transforms.0.k");
    CHECK(changed("env.transforms.\"b/norm\".k=7") == "env.transforms.1.k");
    CHECK(changed("env.transforms.\"a/norm\".k=7") == "env.transforms.2.k");
    CHECK(changed("env.transforms.3.k=7") == "env.transforms.3.k");
    CHECK(refused("env.transforms.norm.k=7", text) ==
          "error: 'norm' is the plugin of 2 elements of env.transforms: write the number of one, such as "
          "env.transforms.1\n --> --set #1:1:16\n  |\n1 | env.transforms.norm.k=7\n  |                ^^^^");
    CHECK_THAT(
        refused("env.transforms.a.k=7", text),
        Catch::Matchers::StartsWith("error: 'a' is not an element of env.transforms, which has the elements 0 to 3\n"));
    CHECK_THAT(
        refused("env.transforms.nrom.k=7", text),
        Catch::Matchers::StartsWith("error: 'nrom' is not an element of env.transforms, which has the elements 0 "
                                    "to 3; did you mean 'norm'?\n"));
}

TEST_CASE("an element of a list is named by its name before its plugin") {
    const std::string text =
        "[[objective]]\nname = \"hunt\"\nplugin = \"a/flee\"\n[[objective]]\nname = \"flee\"\nplugin = \"a/ppo\"\n";
    for (const auto& [name, number] : {std::pair("hunt", "0"), {"flee", "1"}, {"ppo", "1"}, {"1", "1"}}) {
        auto values = flatten(document_of(text, {"objective." + std::string(name) + ".k=7"}));
        CHECK(values["objective." + std::string(number) + ".k"] == "7");
    }
    CHECK_THAT(
        refused("objective.hunk.k=7", text),
        Catch::Matchers::StartsWith("error: 'hunk' is not an element of objective, which has the elements 0 to 1; did "
                                    "you mean 'hunt'?\n"));
}

TEST_CASE("what is not TOML, or more than one value, is text as typed") {
    CHECK(value_after("run.name=first-try", "run.name") == "\"first-try\"");
    CHECK(value_after("run.name=", "run.name") == "\"\"");
    CHECK(value_after("run.name=2026-01-01", "run.name") == "\"2026-01-01\"");
    CHECK(value_after("run.name=1\nother = 2", "run.name") == "\"1\\nother = 2\"");
    CHECK(document_of("", {"run.name=x y"}).root.find("run")->table()->find("name")->bare);
    CHECK_FALSE(document_of("", {"run.name='x y'"}).root.find("run")->table()->find("name")->bare);
}

TEST_CASE("the last of several sets wins and is the one that is named") {
    const Written seen = written(kLeast, {"run.seed=1", "run.seed=-2"});
    REQUIRE(seen.problems.size() == 1);
    CHECK(seen.problems[0] ==
          "error: run.seed must be in [0,9007199254740992], but is -2\n"
          " --> --set #2:1:10\n"
          "  |\n"
          "1 | run.seed=-2\n"
          "  |          ^^");
}

TEST_CASE("text where no string is wanted is shown as text") {
    const Written seen = written(kLeast, {"run.seed = soon", "plugins.search=here"});
    REQUIRE(seen.problems.size() == 2);
    CHECK(seen.problems[0] ==
          "error: run.seed must be an int, but is the text 'soon'\n"
          " --> --set #1:1:12\n"
          "  |\n"
          "1 | run.seed = soon\n"
          "  |            ^^^^");
    CHECK(seen.problems[1] ==
          "error: plugins.search must be a list of strings, but is the text 'here'\n"
          " --> --set #2:1:16\n"
          "  |\n"
          "1 | plugins.search=here\n"
          "  |                ^^^^\n"
          "help: write a list in brackets: [\"here\"]");
}

TEST_CASE("text serves as a string and as a choice") {
    const Written seen = written(kLeast, {"run.name=a b", "run.dtype=float64"});
    CHECK(seen.problems.empty());
    CHECK(seen.manifest.run.name == "a b");
    CHECK(seen.manifest.run.dtype == "float64");
}

TEST_CASE("places inside a set list are those of the typed text") {
    const Written seen = written(kLeast, {"policy.\xc3\xa4=1", "plugins.search = [\"a\", 3]"});
    REQUIRE(seen.problems.size() == 2);
    CHECK(seen.problems[0] ==
          "error: plugins.search[1] must be a string, but is an int\n"
          " --> --set #2:1:24\n"
          "  |\n"
          "1 | plugins.search = [\"a\", 3]\n"
          "  |                        ^\n"
          "help: write a string in quotes: \"3\"");
    CHECK(seen.problems[1] ==
          "error: a name in [policy] may have only letters, digits, '_' and '-', but one is '\xc3\xa4'\n"
          " --> --set #1:1:8\n"
          "  |\n"
          "1 | policy.\xc3\xa4=1\n"
          "  |        ^");
}

TEST_CASE("a set key that nobody knows is shown where it was typed") {
    const Written seen = written(kLeast, {"run.sede=1", "trian.batch=8", "env.transforms.0.k=3"});
    REQUIRE(seen.problems.size() == 3);
    CHECK(seen.problems[0] ==
          "error: unknown table [trian]; did you mean 'train'?\n"
          " --> --set #2:1:1\n"
          "  |\n"
          "1 | trian.batch=8\n"
          "  | ^^^^^");
    CHECK(seen.problems[1] ==
          "error: unknown key 'run.sede'; did you mean 'seed'?\n"
          " --> --set #1:1:5\n"
          "  |\n"
          "1 | run.sede=1\n"
          "  |     ^^^^");
    CHECK(seen.problems[2] ==
          "error: env.transforms must be a list of tables, but is a table\n"
          " --> --set #3:1:5\n"
          "  |\n"
          "1 | env.transforms.0.k=3\n"
          "  |     ^^^^^^^^^^\n"
          "help: write [[env.transforms]]");
}

TEST_CASE("a malformed set is refused") {
    CHECK(refused("run.seed") ==
          "error: a --set needs a '=' between the path and the value\n"
          " --> --set #1:1:9\n"
          "  |\n"
          "1 | run.seed\n"
          "  |         ^\n"
          "help: write --set table.key=VALUE");
    CHECK(refused("run.name=\xff") ==
          "error: a --set must be UTF-8\n --> --set #1:1:1\n  |\n1 | run.name=?\n  | ^^^^^^^^^^");
    for (const char* set : {"", "=3", "run.=3", ".seed=3", "run..seed=3", "run seed=3", "run.\"seed=3", "run.\"a\"b=3",
                            "run\nseed=3", "run.\"a\nb\"=3"}) {
        CAPTURE(set);
        CHECK_THAT(refused(set), Catch::Matchers::StartsWith("error: "));
    }
    CHECK_THAT(refused("run..seed=3"),
               Catch::Matchers::StartsWith(
                   "error: the path of a --set must be names with '.' between them\n --> --set #1:1:5"));
}

TEST_CASE("a set through something that holds nothing is refused") {
    CHECK(refused("run.seed.x=3") ==
          "error: run.seed is an int, so 'x' cannot be set in it\n"
          " --> --set #1:1:10\n"
          "  |\n"
          "1 | run.seed.x=3\n"
          "  |          ^\n"
          " --> m.toml:2:8\n"
          "  |\n"
          "2 | seed = 1\n"
          "  |        ^");
    const std::string list = "[[env.transforms]]\nk = 1\n[[env.transforms]]\nk = 2\n";
    for (const char* index : {"2", "-1", "one", "99999999999999999999999", "1x"}) {
        CHECK_THAT(refused("env.transforms." + std::string(index) + ".k=3", list),
                   Catch::Matchers::StartsWith("error: '" + std::string(index) +
                                               "' is not an element of env.transforms, which has the elements 0 to 1\n"
                                               " --> --set #1:1:16\n"));
    }
    CHECK_THAT(refused("x.0=3", "x = []\n"),
               Catch::Matchers::StartsWith("error: '0' is not an element of x, which is empty"));
}

TEST_CASE("a value whose key is said apart has the places of what was typed") {
    const auto read = [](const std::string& text, const std::string& key) {
        Document document = document_of("[run]\nseed = 1\n");
        REQUIRE(apply_override(document.root, {text, "--option", key}));
        return document;
    };
    const Document number = read("-7", "run.seed");
    const tenon::TomlNode& seed = *number.root.find("run")->table()->find("seed");
    CHECK(flatten(number) == std::map<std::string, std::string>{{"run.seed", "-7"}});
    CHECK((seed.place.file == "--option" && seed.place.column == 1 && seed.place.length == 2));
    CHECK((seed.place.excerpt == "-7" && seed.key_place.excerpt == "-7"));
    const Document list = read("[1,\n 22]", "run.more");
    const tenon::TomlNode& more = *list.root.find("run")->table()->find("more");
    CHECK((more.list()->at(0).place.line == 1 && more.list()->at(0).place.column == 2));
    CHECK((more.list()->at(1).place.line == 2 && more.list()->at(1).place.column == 2));
    const Document text = read("a=b", "run.name");
    CHECK(text.root.find("run")->table()->find("name")->bare);
    CHECK(text.root.find("run")->table()->find("name")->place.length == 3);
}

TEST_CASE("a manifest is read with its sets") {
    const TestFolder folder;
    const std::string file = folder.write("m.toml", "[run]\nseed = 1\n");
    const std::vector<std::string> sets = {"run.seed=2", "run.threads=2"};
    tenon::Problems problems;
    const std::optional<Document> document = tenon::read_manifest(file, tenon::given_by_set(sets), problems);
    REQUIRE(document);
    CHECK(flatten(*document) == std::map<std::string, std::string>{{"run.seed", "2"}, {"run.threads", "2"}});
    CHECK(document->root.find("run")->table()->find("threads")->place.file == "--set #2");
    const std::vector<std::string> broken = {"run.seed=2", "nothing", "run.seed.x=1", "=3"};
    const std::optional<Document> rest = tenon::read_manifest(file, tenon::given_by_set(broken), problems);
    REQUIRE(rest);
    CHECK(flatten(*rest) == std::map<std::string, std::string>{{"run.seed", "2"}});
    REQUIRE(problems.size() == 3);
    CHECK(problems[0].place.file == "--set #2");
    CHECK(problems[1].place.file == "--set #3");
    CHECK(problems[2].place.file == "--set #4");
}

}  // namespace override_test
