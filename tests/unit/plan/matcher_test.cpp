// SPDX-License-Identifier: Apache-2.0
#include "train/plan/capabilities/matcher.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "support/catch.hpp"

namespace matcher_test {

namespace {

using namespace tenon;

Place line(std::uint32_t number) {
    return {.file = "m.toml", .line = number, .column = 1, .length = 1, .excerpt = ""};
}

Present present(Feature feature, std::string subject, std::uint32_t at) {
    return {.feature = feature, .subject = std::move(subject), .place = line(at)};
}

Problems refused(const PresentParts& parts) {
    Problems problems;
    refuse_combinations(parts, problems);
    return problems;
}

TEST_CASE("a problem names both parts and has both places") {
    const Problems problems =
        refused({present(Feature::kPool, "the pool", 3), present(Feature::kHooks, "[[hooks]]", 8)});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].sentence ==
          "[[hooks]] read the newest steps of all lanes, but the pool steps lanes by themselves, as they are ready");
    CHECK(problems[0].place.line == 3);
    REQUIRE(problems[0].also.size() == 1);
    CHECK(problems[0].also[0].line == 8);
}

TEST_CASE("the first place is that of the part that the cure changes") {
    const Problems problems =
        refused({present(Feature::kPrefetch, "prefetch", 3), present(Feature::kDrawByPriority, "the sampler", 8)});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].place.line == 3);
    CHECK(problems[0].help == "set prefetch = false");
}

TEST_CASE("a part without a place leaves the first place to the other one") {
    Present none = present(Feature::kNoObjective, "this run", 0);
    const Problems problems = refused({present(Feature::kLag, "collector.lag", 5), none});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].place.line == 5);
    CHECK(problems[0].also.empty());
}

TEST_CASE("a combination is reported once") {
    const PresentParts parts = {present(Feature::kPool, "the pool", 3), present(Feature::kHooks, "[[hooks]]", 8)};
    Problems problems;
    refuse_combinations(parts, problems);
    refuse_combinations(parts, problems);
    CHECK(problems.size() == 1);
}

TEST_CASE("parts of other buffers do not concern a need") {
    Present prefetch = present(Feature::kPrefetch, "prefetch", 3);
    prefetch.of = {"buffer.a"};
    Present sampler = present(Feature::kDrawByPriority, "the sampler", 8);
    sampler.about = "buffer.b";
    CHECK(refused({prefetch, sampler}).empty());
    sampler.about = "buffer.a";
    CHECK(refused({prefetch, sampler}).size() == 1);
}

TEST_CASE("each declared need excludes each part that takes it away") {
    for (const Declaration& need : declarations()) {
        for (const Declaration& take : declarations()) {
            if (need.relation == Relation::kNeeds && take.relation == Relation::kTakes &&
                need.capability == take.capability && need.feature != take.feature) {
                const Problems problems = refused({present(need.feature, "one", 1), present(take.feature, "other", 2)});
                const std::string sentence = "one " + std::string(need.why) + ", but other " + std::string(take.why);
                CHECK(std::ranges::find(problems, sentence, &Problem::sentence) != problems.end());
            }
        }
    }
}

TEST_CASE("a reason is that of the first part") {
    const PresentParts parts = {present(Feature::kPool, "the pool", 1), present(Feature::kHooks, "hooks", 2),
                                present(Feature::kEpisodesOfBatch, "train.episodes", 3)};
    CHECK(reason_of(parts, Relation::kNeeds, Capability::kHostColumns).why == "hooks work on the CPU");
    CHECK(reason_of({}, Relation::kNeeds, Capability::kHostColumns).why.empty());
}

}  // namespace

}  // namespace matcher_test
