// SPDX-License-Identifier: Apache-2.0
// SWEEP.toml: the tables of successive halving and of a population, several bases, and their mistakes.
#include "commands/sweep/sweep_file.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace sweep_file_test {

using namespace tenon;

std::optional<SweepFile> read(const std::string& text, Problems& problems) {
    const test::ScratchFolder scratch;
    const auto path = scratch.path() / "sweep.toml";
    std::ofstream(path) << text << "\n[space]\n\"optimiser.lr\" = { min = 1, max = 2 }\n";
    return read_sweep(path, problems);
}

SweepFile good(const std::string& text) {
    Problems problems;
    auto file = read(text, problems);
    REQUIRE(problems.empty());
    return *std::move(file);
}

TEST_CASE("rungs, intervals and bases are read with their defaults") {
    const SweepFile halving = good("base = \"a.toml\"\ntrials = 4\nhalving = { updates = [10, 30] }");
    CHECK(halving.search == "tpe");
    CHECK(halving.halving->rungs == std::vector<std::int64_t>{10, 30});
    CHECK((halving.halving->in_updates && halving.halving->factor == 3));
    const SweepFile population = good("base = \"a.toml\"\ntrials = 4\npopulation = { interval = 10, step = 0.5 }");
    CHECK(population.search == "random");
    CHECK((population.population->interval == 10 && population.population->rules.step == 0.5));
    CHECK(population.text.find("trials") != std::string::npos);  // members cannot be added later
    const SweepFile bases = good("base = [\"a.toml\", \"b/c.toml\"]\ntrials = 4");
    CHECK(bases.text.find("trials") == std::string::npos);
    REQUIRE(bases.space.size() == 2);
    CHECK(bases.space.front().choices == 2);
    CHECK(base_at(bases, {1, 1.5}).name == "b/c.toml");
    CHECK(value_text(bases.keys[0], bases.space[0], 1) == "\"b/c.toml\"");
}

TEST_CASE("mistakes of these tables are told with their lines") {
    const std::string begin = "base = \"a.toml\"\ntrials = 4\n";
    for (const auto& [text, sentence, line] : {
             std::tuple{begin + "halving = { factor = 2 }", "halving must have frames or updates", 3U},
             {begin + "halving = { frames = [1], updates = [1] }", "halving must have frames or updates", 3U},
             {begin + "halving = { frames = [20, 10] }", "halving.frames must be a list of rising ints above 0", 3U},
             {begin + "halving = { frames = [0] }", "halving.frames must be a list of rising ints above 0", 3U},
             {begin + "halving = { frames = 5 }", "halving.frames must be a list of rising ints above 0", 3U},
             {begin + "halving = { frames = [5], factor = 1 }", "halving.factor must be an int from 2", 3U},
             {begin + "halving = { frame = [5] }", "unknown key 'halving.frame'; did you mean 'frames'?", 3U},
             {begin + "halving = 3", "halving must be a table", 3U},
             {begin + "batch = 2\nhalving = { frames = [5] }", "batch cannot be given together with [halving]", 3U},
             {begin + "population = { share = 0.2 }", "population.interval must be given", 3U},
             {begin + "population = { interval = 5, share = 0.6 }",
              "population.share must be a number from 0.01 to 0.5", 3U},
             {begin + "population = { interval = 5 }\nsearch = \"tpe\"", "search must be \"random\" or \"grid\"", 4U},
             {begin + "population = { interval = 5 }\nhalving = { frames = [5] }", "halving cannot be given together",
              4U},
             {std::string("base = [\"a\", \"b\"]\ntrials = 4\npopulation = { interval = 5 }"),
              "base must be one manifest", 1U},
             {std::string("base = [\"a\", \"a\"]\ntrials = 4"), "base has twice \"a\"", 1U},
             {std::string("base = [\"a\", 3]\ntrials = 4"), "base must be strings that are not empty, but one is 3",
              1U},
             {std::string("base = []\ntrials = 4"), "base must be a string or a list of strings", 1U},
             {std::string("base = \"a\"\ntrials = 1\npopulation = { interval = 5 }"), "trials must be an int from 2",
              2U},
         }) {
        CAPTURE(text);
        Problems problems;
        CHECK_FALSE(read(text, problems));
        REQUIRE_FALSE(problems.empty());
        CHECK_THAT(problems.front().sentence, Catch::Matchers::StartsWith(sentence));
        CHECK(problems.front().place.line == line);
    }
}

}  // namespace sweep_file_test
