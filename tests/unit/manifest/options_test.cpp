// SPDX-License-Identifier: Apache-2.0
// Options of components against a schema such as a plugin's note has.
#include "config/manifest/options.hpp"

#include <string>
#include <vector>

#include "written.hpp"

namespace options_test {

using tenon::OptionSchema;
using tenon::OptionType;
using tenon::OptionValue;

namespace {

std::vector<OptionSchema> schemas() {
    OptionSchema gamma;
    gamma.name = "gamma";
    gamma.standard = 0.99;
    gamma.range = "[0,1]";
    OptionSchema loss;
    loss.name = "loss";
    loss.type = OptionType::kString;
    loss.standard = std::string("huber");
    loss.choices = {"huber", "l2"};
    OptionSchema hidden;
    hidden.name = "hidden";
    hidden.type = OptionType::kInts;
    hidden.standard = std::vector<std::int64_t>{64, 64};
    hidden.range = "[1,4096]";
    OptionSchema steps;
    steps.name = "steps";
    steps.type = OptionType::kInt;
    steps.help = "How many steps.";
    return {gamma, loss, hidden, steps};
}

struct Resolved {
    std::vector<OptionValue> values;
    std::vector<std::string> problems;
};

Resolved resolve(const std::string& lines, const std::vector<std::string>& sets = {}) {
    const Written seen = written(kLeast + "[objective]\nplugin = \"dqn/dqn\"\n" + lines, sets);
    REQUIRE(seen.problems.empty());
    tenon::Problems problems;
    Resolved out;
    out.values = resolve_options(seen.manifest.objectives[0].component, schemas(), problems);
    for (const tenon::Problem& problem : problems) {
        out.problems.push_back(render(problem));
    }
    REQUIRE(out.values.size() == 4);
    return out;
}

}  // namespace

TEST_CASE("given options replace defaults, in the order of the schema") {
    const Resolved seen = resolve("steps = 3\ngamma = 1\nhidden = []\n", {"objective.loss=l2"});
    CHECK(seen.problems == std::vector<std::string>{});
    CHECK(seen.values[0] == OptionValue(1.0));
    CHECK(seen.values[1] == OptionValue(std::string("l2")));
    CHECK(seen.values[2] == OptionValue(std::vector<std::int64_t>{}));
    CHECK(seen.values[3] == OptionValue(std::int64_t{3}));
}

TEST_CASE("every wrong option is reported in one go") {
    const Resolved seen = resolve("gama = 0.9\nloss = \"l3\"\nhidden = [64, 0]\n", {"objective.gamma=1.5"});
    REQUIRE(seen.problems.size() == 5);
    CHECK(seen.problems[0] ==
          "error: unknown key 'objective.gama'; did you mean 'gamma'?\n"
          " --> m.toml:9:1\n"
          "  |\n"
          "9 | gama = 0.9\n"
          "  | ^^^^");
    CHECK(seen.problems[1] ==
          "error: objective.gamma must be in [0,1], but is 1.5\n"
          " --> --set #1:1:17\n"
          "  |\n"
          "1 | objective.gamma=1.5\n"
          "  |                 ^^^");
    CHECK(seen.problems[2] ==
          "error: objective.loss must be 'huber' or 'l2', but is 'l3'; did you mean 'l2'?\n"
          " --> m.toml:10:8\n"
          "   |\n"
          "10 | loss = \"l3\"\n"
          "   |        ^^^^");
    CHECK(seen.problems[3] ==
          "error: objective.hidden[1] must be in [1,4096], but is 0\n"
          " --> m.toml:11:15\n"
          "   |\n"
          "11 | hidden = [64, 0]\n"
          "   |               ^");
    CHECK(seen.problems[4] ==
          "error: objective.steps must be given\n"
          " --> m.toml:7:1\n"
          "  |\n"
          "7 | [objective]\n"
          "  | ^^^^^^^^^^^\n"
          "help: How many steps.");
    CHECK(seen.values[0] == OptionValue(0.99));
    CHECK(seen.values[3] == OptionValue(std::int64_t{0}));
}

TEST_CASE("elements of a list are checked one by one") {
    CHECK_THAT(
        resolve("steps = 1\nhidden = [64, \"a\"]\n").problems.at(0),
        Catch::Matchers::StartsWith("error: objective.hidden[1] must be an int, but is a string\n --> m.toml:10:15\n"));
    CHECK_THAT(
        resolve("steps = 1\nhidden = [[64]]\n").problems.at(0),
        Catch::Matchers::StartsWith("error: objective.hidden[0] must be an int, but is a list\n --> m.toml:10:11\n"));
    CHECK_THAT(resolve("steps = 1\nhidden = 64\n").problems.at(0),
               Catch::Matchers::EndsWith("help: write a list in brackets: [64]"));
}

TEST_CASE("a misspelt key of the table itself is found, too") {
    const Written seen = written(kLeast + "lanse = 3\n");
    REQUIRE(seen.problems.empty());  // it could be the component's
    tenon::Problems problems;
    resolve_options(seen.manifest.env.component, {}, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].sentence == "unknown key 'env.lanse'; did you mean 'lanes'?");
    CHECK(problems[0].help == "classic/CartPole-v1 has no options");
}

TEST_CASE("a path begins at the folder of the file that has it, and after --set at the working directory") {
    std::vector<OptionSchema> paths(2);
    paths[0].name = "file";
    paths[0].path = tenon::PathForm::kFile;
    paths[1].name = "program";
    paths[1].path = tenon::PathForm::kFileOrName;
    for (OptionSchema& schema : paths) {
        schema.type = OptionType::kString;
        schema.standard = std::string();
    }
    paths[0].standard = std::string(".");
    const TestFolder folder;
    folder.write("below/base.toml", "[env]\nplugin = \"a/b\"\nfile = \"x/../m.xml\"\nprogram = \"bin/python\"\n");
    const std::string file = folder.write("m.toml", "include = [\"below/base.toml\"]\n" + kLeast);
    const auto resolved = [&](const std::vector<std::string>& sets) {
        tenon::Problems problems;
        const auto document = tenon::read_manifest(file, tenon::given_by_set(sets), problems);
        REQUIRE(document);
        const tenon::Manifest manifest = read_tables(*document, problems);
        std::string out;
        for (const OptionValue& value : resolve_options(manifest.env.component, paths, problems)) {
            out += folder.local(std::get<std::string>(value)) + ' ';
        }
        REQUIRE(problems.empty());
        return out;
    };
    const std::string here = std::filesystem::current_path().string();
    CHECK(resolved({}) == "below/m.xml below/bin/python ");
    CHECK(resolved({"env.file=m.xml", "env.program=bin/python"}) == here + "/m.xml " + here + "/bin/python ");
    CHECK(resolved({"env.file=/m.xml", "env.program=python3"}) == "/m.xml python3 ");
    CHECK(resolved({"env.file=\"\"", "env.program=\"\""}) == "  ");
    CHECK(resolved({"remove=[\"env.file\"]", "remove=[\"env.program\"]"}) == "  ");
}

TEST_CASE("an option that is a table keeps its keys, their order and every digit") {
    OptionSchema kwargs;
    kwargs.name = "kwargs";
    kwargs.type = OptionType::kTable;
    kwargs.standard = tenon::OptionTable{};
    const auto table = [&](const std::string& lines, const std::vector<std::string>& sets = {}) {
        const Written seen = written(kLeast + "[objective]\nplugin = \"dqn/dqn\"\n" + lines, sets);
        REQUIRE(seen.problems.empty());
        tenon::Problems problems;
        const std::vector<OptionValue> values =
            resolve_options(seen.manifest.objectives[0].component, {&kwargs, 1}, problems);
        return problems.empty() ? values.at(0) : OptionValue(render(problems[0]));
    };
    const auto json = [&](const std::string& lines, const std::vector<std::string>& sets = {}) {
        return std::get<tenon::OptionTable>(table(lines, sets)).json;
    };
    CHECK(json("") == "{}");
    CHECK(json("kwargs = { z = 9223372036854775807, a = 0.1, b = 2.0, c = -1e300 }") ==
          R"({"z":9223372036854775807,"a":0.1,"b":2.0,"c":-1e+300})");
    CHECK(json("[objective.kwargs]\nname = \"4x4 \\\"big\\\"\"\nwet = false\nsizes = [1, [2, 3]]\n"
               "[objective.kwargs.inner]\ntop = inf\nnone = nan\n") ==
          R"({"name":"4x4 \"big\"","wet":false,"sizes":[1,[2,3]],"inner":{"top":Infinity,"none":NaN}})");
    CHECK(json("kwargs = { size = 4 }", {"objective.kwargs.size=8", "objective.kwargs.map=8x8"}) ==
          R"({"size":8,"map":"8x8"})");
    const OptionValue given = table("kwargs = { b.c = 1.0, \"d e\" = [true] }");
    CHECK(table("kwargs = " + to_toml(given)) == given);
    CHECK(std::get<std::string>(table("kwargs = [1]")) ==
          "error: objective.kwargs must be a table, but is a list\n"
          " --> m.toml:9:10\n"
          "  |\n"
          "9 | kwargs = [1]\n"
          "  |          ^^^\n"
          "help: write [objective.kwargs] and its keys below, or { key = value } on one line");
}

}  // namespace options_test
