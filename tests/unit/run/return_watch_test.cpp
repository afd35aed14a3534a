// SPDX-License-Identifier: Apache-2.0
// When a run may say that its evaluations play worse than its policy does.
#include "run/sessions/return_watch.hpp"

#include <vector>

#include "experience/replay/storage.hpp"
#include "support/catch.hpp"

namespace return_watch_test {

using namespace tenon;

namespace {

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

TEST_CASE("drawn actions are better if two evaluations in a row are far behind") {
    Played played;
    played.play(100, 0.88, 0.1);
    ReturnWatch watch({.draws = true});
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
    ReturnWatch same({.draws = false});
    same.evaluated(score(0.29, 0.43), played.all());
    same.evaluated(score(0.29, 0.43), played.all());
    CHECK(!same.drawn_is_better());
}

}  // namespace

}  // namespace return_watch_test
