// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep: what is written is read back to the last bit, and journals of earlier versions are read.
#include "commands/sweep/journal.hpp"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace journal_test {

using namespace tenon;

TEST_CASE("legs are read back as they were, with every bit of their numbers") {
    const test::ScratchFolder scratch;
    const auto path = scratch.path() / "journal.jsonl";
    const double hard = 2.2250738585072011e-308;
    const std::vector<SweepTrial> legs = {
        {.number = 0, .ended = false, .point = {hard}, .values = {"1e-3"}, .scores = {}, .error = {}},
        {.number = 0,
         .point = {hard},
         .values = {"1e-3"},
         .score = 0.1 + 0.2,
         .scores = {1.0 / 3, NAN},
         .seconds = 7.1,
         .error = {}},
        {.number = 1,
         .leg = 2,
         .from = 0,
         .point = {3},
         .values = {"\"a\""},
         .code = 3,
         .score = NAN,
         .scores = {},
         .error = "no"}};
    REQUIRE(write_journal(path, "it", legs));
    const auto read = read_journal(path, "it");
    REQUIRE(read);
    REQUIRE(read->size() == 3);
    CHECK((!(*read)[0].ended && (*read)[1].ended));
    CHECK((*read)[0].point == legs[0].point);
    CHECK((*read)[1].score == legs[1].score);
    CHECK(((*read)[1].scores[0] == 1.0 / 3 && std::isnan((*read)[1].scores[1])));
    CHECK(((*read)[1].from == -1 && (*read)[1].leg == 0));
    CHECK(((*read)[2].number == 1 && (*read)[2].leg == 2 && (*read)[2].from == 0 && (*read)[2].code == 3));
    CHECK(((*read)[2].error == "no" && std::isnan((*read)[2].score)));
}

TEST_CASE("a journal with numbers as strings is read") {
    const test::ScratchFolder scratch;
    const auto path = scratch.path() / "journal.jsonl";
    std::ofstream(path) << R"({"sweep":"it"}
{"trial":0,"point":["0.30000000000000004","2"],"values":["0.3","x"],"code":0,"score":"nan","scores":["1.5"],"seconds":"2.5","error":"e"}
)";
    const auto read = read_journal(path, "it");
    REQUIRE(read);
    CHECK(read->front().point == std::vector<double>{0.1 + 0.2, 2});
    CHECK(std::isnan(read->front().score));
    CHECK(read->front().scores == std::vector<double>{1.5});
    CHECK(read->front().seconds == 2.5);
}

TEST_CASE("lines that no sweep wrote, and journals of other sweeps, are refused with their line") {
    const test::ScratchFolder scratch;
    const auto path = scratch.path() / "journal.jsonl";
    CHECK(read_journal(path, "it")->empty());
    for (const char* line :
         {"{}", "{\"trial\":-1,\"values\":[],\"point\":[]}", "{\"trial\":0,\"values\":[\"1\"],\"point\":[]}", "x"}) {
        std::ofstream(path) << "{\"sweep\":\"it\"}\n" << line << "\n";
        const auto read = read_journal(path, "it");
        REQUIRE_FALSE(read);
        CHECK(read.error().place.line == 2);
    }
    CHECK_THAT(read_journal(path, "other").error().sentence, Catch::Matchers::ContainsSubstring("holds another sweep"));
}

}  // namespace journal_test
