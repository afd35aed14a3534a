// SPDX-License-Identifier: Apache-2.0
// When a run may say that it has not learnt, or that its evaluations play worse than its policy does.
#include "run/sessions/return_watch.hpp"

#include <vector>

#include "experience/replay/storage.hpp"
#include "support/catch.hpp"

namespace return_watch_test {

using namespace tenon;

namespace {

constexpr ActingFacts kDraws{.draws = true, .explores = false, .learns_anew = true};

// Episodes of one step, in one lane.
class Played {
public:
    // Returns around a mean: half of them `spread` above it, half below.
    void play(int episodes, double mean, double spread) {
        for (int i = 0; i < episodes; ++i) {
            const double reward = mean + (i % 2 == 0 ? spread : -spread);
            storage_.find("terminated")->view.as<std::uint8_t>()[storage_.head()] = 1;
            storage_.advance();
            all_.record(storage_, storage_.slot_before(storage_.head()), std::vector<double>{reward});
        }
    }
    [[nodiscard]] const Episodes& all() const { return all_; }

private:
    Storage storage_ = *Storage::make({}, 4, 1);
    Episodes all_{1};
};

Score score(double mean, double spread, std::int64_t episodes = 20) {
    return {.return_mean = mean, .return_std = spread, .length_mean = 1, .episodes = episodes, .cut_off = 0};
}

// Of a run whose first returns are 20 +- 10, and its last ones those.
bool has_not_learnt(ActingFacts facts, double last, double spread, int episodes = 300) {
    ReturnWatch watch(facts);
    Played played;
    played.play(40, 20, 10);
    watch.collected(played.all(), 1, 0.1);
    played.play(episodes, last, spread);
    watch.collected(played.all(), 9, 0.1);
    watch.evaluated(score(20, 10), played.all());
    return watch.not_learnt(played.all(), 20).has_value();
}

TEST_CASE("a run whose last returns are those of its first episodes has not learnt") {
    CHECK(has_not_learnt(kDraws, 20, 10));
    CHECK(has_not_learnt(kDraws, 22, 10));
    CHECK(!has_not_learnt(kDraws, 25, 10));  // more than two standard errors
    CHECK(!has_not_learnt(kDraws, 10, 10));  // it has unlearnt something, or plays against itself
    CHECK(!has_not_learnt(kDraws, 20, 4));   // it does the same more reliably: the first ones may have learnt already
    CHECK(has_not_learnt(kDraws, 20, 10, 50));
    CHECK(!has_not_learnt(kDraws, 20, 10, 49));  // too short to tell
    CHECK(!has_not_learnt({.draws = true, .explores = false, .learns_anew = false}, 20, 10));
}

TEST_CASE("returns that never differ are not learnt either") {
    ReturnWatch watch(kDraws);
    Played played;
    played.play(30, -200, 0);
    watch.collected(played.all(), 1, 0.1);
    played.play(200, -200, 0);
    const auto found = watch.not_learnt(played.all(), {});
    REQUIRE(found);
    CHECK(found->training.episodes == 100);
    CHECK(found->training.return_mean == -200);
    CHECK(found->other.episodes == 30);
    played.play(1, -150, 0);
    CHECK(!watch.not_learnt(played.all(), {}));
}

TEST_CASE("the first episodes are those before the first update, or twenty") {
    ReturnWatch watch(kDraws);
    Played played;
    played.play(60, 1, 0);
    watch.collected(played.all(), 0, 0.1);
    played.play(5, 1, 0);
    watch.collected(played.all(), 1, 0.1);
    played.play(70, 1, 0);
    watch.collected(played.all(), 2, 0.1);
    CHECK(watch.not_learnt(played.all(), {})->other.episodes == 65);

    ReturnWatch late(kDraws);
    Played few;
    few.play(19, 1, 0);
    late.collected(few.all(), 1, 0.1);
    few.play(70, 1, 0);
    CHECK(!late.not_learnt(few.all(), {}));
}

TEST_CASE("episodes that end late after the first update are no first ones") {
    for (const double progress : {0.2, 0.21}) {
        ReturnWatch watch(kDraws);
        Played played;
        watch.collected(played.all(), 1, 0.1);
        played.play(30, 1, 0);
        watch.collected(played.all(), 2, progress);
        played.play(70, 1, 0);
        CHECK(watch.not_learnt(played.all(), {}).has_value() == (progress == 0.2));
    }
    ReturnWatch untaught(kDraws);  // however long it takes
    Played played;
    played.play(30, 1, 0);
    untaught.collected(played.all(), 1, 0.5);
    played.play(70, 1, 0);
    CHECK(untaught.not_learnt(played.all(), {}));
}

TEST_CASE("an evaluation that is better than the first episodes shows that something was learnt") {
    ReturnWatch watch(kDraws);
    Played played;
    played.play(40, 20, 10);
    watch.collected(played.all(), 1, 0.1);
    played.play(100, 20, 10);
    watch.evaluated(score(40, 10), played.all());
    CHECK(!watch.not_learnt(played.all(), 40));
    watch.evaluated(score(20, 10), played.all());
    CHECK(watch.not_learnt(played.all(), 22));
    CHECK(!watch.not_learnt(played.all(), 40));  // the best one was
}

TEST_CASE("without an evaluation, exploration may hide what was learnt") {
    for (const bool explores : {false, true}) {
        ReturnWatch watch({.draws = false, .explores = explores, .learns_anew = true});
        Played played;
        played.play(40, 20, 10);
        watch.collected(played.all(), 1, 0.1);
        played.play(100, 20, 10);
        CHECK(watch.not_learnt(played.all(), {}).has_value() == !explores);
    }
}

TEST_CASE("drawn actions are better if two evaluations in a row are far behind") {
    Played played;
    played.play(100, 0.88, 0.1);
    ReturnWatch watch(kDraws);
    const auto better = [&](const Score& evaluation) {
        watch.evaluated(evaluation, played.all());
        return watch.drawn_is_better().has_value();
    };
    CHECK(!better(score(0.29, 0.43)));  // once may be chance
    CHECK(better(score(0.29, 0.43)));
    CHECK(watch.drawn_is_better()->training.episodes == 30);
    CHECK(!better(score(0.8, 0.2)));  // and is no more behind
    CHECK(!better(score(0.29, 0.43)));
    CHECK(!better(score(0.29, 0.43, 8)));  // too few to tell
    CHECK(!better(score(0.29, 0.43)));
    CHECK(better(score(0.29, 0.43)));
    ReturnWatch same({.draws = false, .explores = true, .learns_anew = true});
    same.evaluated(score(0.29, 0.43), played.all());
    same.evaluated(score(0.29, 0.43), played.all());
    CHECK(!same.drawn_is_better());
}

}  // namespace

}  // namespace return_watch_test
