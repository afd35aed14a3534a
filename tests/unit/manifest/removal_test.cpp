// SPDX-License-Identifier: Apache-2.0
// remove: what an included file gives is taken out again.
#include "config/manifest/removal.hpp"

#include <map>
#include <string>
#include <vector>

#include "config/manifest/document.hpp"
#include "config/manifest/document_text.hpp"
#include "written.hpp"

namespace removal_test {

using Values = std::map<std::string, std::string>;

namespace {

const std::string kBase =
    "[train]\nclip_norm = 0.5\nepochs = 4\n[[env.transforms]]\nk = 1\n[[env.transforms]]\nk = 2\n[schedule]\n"
    "\"a.b\" = { from = 1 }\n";

struct Read {
    Values values;
    std::vector<std::string> problems;
};

Read read(const std::string& text, const std::vector<std::string>& sets = {}) {
    const TestFolder folder;
    folder.write("base.toml", kBase);
    const std::string file = folder.write("m.toml", text);
    tenon::Problems problems;
    const std::optional<tenon::Document> document = read_manifest(file, tenon::given_by_set(sets), problems);
    Read out;
    if (document) {
        out.values = flatten(*document);
    }
    for (const tenon::Problem& problem : problems) {
        out.problems.push_back(folder.local(render(problem)));
    }
    return out;
}

const std::string kIncludes = "include = [\"base.toml\"]\n";
const Values kAll = {{"train.clip_norm", "0.5"},
                     {"train.epochs", "4"},
                     {"env.transforms.0.k", "1"},
                     {"env.transforms.1.k", "2"},
                     {"schedule.a.b.from", "1"}};

Values without(std::initializer_list<const char*> keys) {
    Values out = kAll;
    for (const char* key : keys) {
        out.erase(key);
    }
    return out;
}

}  // namespace

TEST_CASE("included keys, tables and elements of lists can be removed") {
    CHECK(read(kIncludes).values == kAll);
    CHECK(read(kIncludes + "remove = [\"train.clip_norm\"]\n").values == without({"train.clip_norm"}));
    CHECK(read(kIncludes + "remove = [\"train\", \"train.epochs\"]\n").values ==
          without({"train.clip_norm", "train.epochs"}));
    CHECK(read(kIncludes + "remove = ['schedule.\"a.b\"']\n").values == without({"schedule.a.b.from"}));
    CHECK(read(kIncludes + "remove = \"train.epochs\"\n").values == without({"train.epochs"}));
    const Values second_left = read(kIncludes + "remove = [\"env.transforms.0\"]\n").values;
    CHECK(second_left.at("env.transforms.0.k") == "2");
    CHECK_FALSE(second_left.contains("env.transforms.1.k"));
    CHECK(read(kIncludes + "remove = [\"env.transforms.0\", \"env.transforms.1\"]\n").values.at("env.transforms") ==
          "[]");
}

TEST_CASE("a key that is removed may be given anew") {
    const Read seen =
        read(kIncludes + "remove = [\"env.transforms\", \"train\"]\n[train]\nepochs = 7\n[env]\nlanes = 2\n");
    CHECK(seen.problems.empty());
    CHECK(seen.values == Values{{"train.epochs", "7"}, {"env.lanes", "2"}, {"schedule.a.b.from", "1"}});
}

TEST_CASE("a file that is included removes from what it includes itself") {
    const TestFolder folder;
    folder.write("base.toml", kBase);
    folder.write("middle.toml", kIncludes + "remove = [\"train.epochs\"]\n");
    const std::string file = folder.write("m.toml", "include = [\"middle.toml\"]\nremove = [\"train.clip_norm\"]\n");
    tenon::Problems problems;
    const std::optional<tenon::Document> document = tenon::read_manifest(file, {}, problems);
    REQUIRE(document);
    CHECK(problems.empty());
    CHECK(flatten(*document) == without({"train.epochs", "train.clip_norm"}));
}

TEST_CASE("an override removes as well, whoever gave the key") {
    CHECK(read(kBase, {"remove=train.clip_norm"}).values == without({"train.clip_norm"}));
    CHECK(read(kIncludes, {"remove=[\"train.clip_norm\", \"train.epochs\"]"}).values ==
          without({"train.clip_norm", "train.epochs"}));
    CHECK(read(kBase, {"remove=train", "train.epochs=9"}).values.at("train.epochs") == "9");
    CHECK(read(kBase, {"train.seed=9", "remove=train.seed"}).values == kAll);
    const Read wrong = read(kBase, {"remove=train.clip_nrm"});
    CHECK(wrong.values == kAll);
    REQUIRE(wrong.problems.size() == 1);
    CHECK(wrong.problems[0] ==
          "error: 'train.clip_nrm' cannot be removed: the manifest does not have it; did you mean 'train.clip_norm'?\n"
          " --> --set #1:1:8\n"
          "  |\n"
          "1 | remove=train.clip_nrm\n"
          "  |        ^^^^^^^^^^^^^^");
}

TEST_CASE("a key that is not there is shown with the nearest one, each of several") {
    const Read seen = read(kIncludes +
                           "remove = [\"train.clip_nrm\", \"trian.epochs\", \"train.epochs.x\",\n"
                           "  \"env.transforms.2\", \"schedule.a\", \"log\"]\n");
    REQUIRE(seen.problems.size() == 6);
    CHECK(seen.problems[0] ==
          "error: 'train.clip_nrm' cannot be removed: no included file has it; did you mean "
          "'train.clip_norm'?\n"
          " --> m.toml:2:11\n"
          "  |\n"
          "2 | remove = [\"train.clip_nrm\", \"trian.epochs\", \"train.epochs.x\",\n"
          "  |           ^^^^^^^^^^^^^^^^");
    CHECK_THAT(seen.problems[1],
               Catch::Matchers::StartsWith(
                   "error: 'trian.epochs' cannot be removed: no included file has it; did you mean 'train.epochs'?"));
    CHECK_THAT(seen.problems[2],
               Catch::Matchers::StartsWith(
                   "error: 'train.epochs.x' cannot be removed: no included file has it\n --> m.toml:2:45"));
    CHECK_THAT(seen.problems[3],
               Catch::Matchers::StartsWith("error: '2' is not an element of env.transforms, which has "
                                           "the elements 0 to 1\n --> m.toml:3:3"));
    CHECK_THAT(seen.problems[4],
               Catch::Matchers::StartsWith("error: 'schedule.a' cannot be removed: no included file has it"));
    CHECK_THAT(seen.problems[5],
               Catch::Matchers::StartsWith("error: 'log' cannot be removed: no included file has it\n"));
}

TEST_CASE("remove without includes, and one that is no list of keys, are refused where they stand") {
    const auto only = [](const Read& seen) { return seen.problems.size() == 1 ? seen.problems[0] : "not one problem"; };
    CHECK(only(read("remove = [\"train\"]\n[train]\nepochs = 2\n")) ==
          "error: remove removes keys of included files, but this file includes none\n"
          " --> m.toml:1:1\n"
          "  |\n"
          "1 | remove = [\"train\"]\n"
          "  | ^^^^^^");
    CHECK_THAT(only(read(kIncludes + "remove = 3\n")),
               Catch::Matchers::StartsWith("error: remove must be a list of strings, but is an int\n --> m.toml:2:10"));
    CHECK_THAT(only(read(kIncludes + "remove = [[\"train\"]]\n")),
               Catch::Matchers::StartsWith("error: remove must be a list of strings, but one element is a list\n --> "
                                           "m.toml:2:11"));
    for (const char* key : {"", ".", "train.", "train..epochs", "train epochs", "a=b", "'a"}) {
        CAPTURE(key);
        CHECK_THAT(
            only(read(kIncludes + "remove = [\"" + key + "\"]\n")),
            Catch::Matchers::StartsWith("error: a key to remove must be names with '.' between them, but one is '" +
                                        std::string(key) + "'\n --> m.toml:2:11"));
    }
}

}  // namespace removal_test
