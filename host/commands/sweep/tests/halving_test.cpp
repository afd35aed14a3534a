// SPDX-License-Identifier: Apache-2.0
// Which trial successive halving runs next, and how little it needs to find a good one.
#include "commands/sweep/search/halving.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random/key.hpp"
#include "support/catch.hpp"

namespace halving_test {

using namespace tenon;

// Trials one after the other; a trial's loss at every rung is `loss(trial, rung)`.
template <class Loss>
std::vector<RungResult> all_results(std::size_t rungs, std::size_t factor, std::size_t trials, Loss loss) {
    std::vector<RungResult> out;
    std::size_t begun = 0;
    while (const auto step = halving_step(out, rungs, factor, begun, trials)) {
        begun += step->rung == 0 ? 1 : 0;
        out.push_back({.trial = step->trial, .rung = step->rung, .ended = true, .loss = loss(step->trial, step->rung)});
    }
    return out;
}

std::ptrdiff_t count_at(const std::vector<RungResult>& results, std::size_t rung) {
    return std::ranges::count(results, rung, &RungResult::rung);
}

TEST_CASE("each rung is reached by the best share of the one before, and the best trial reaches the end") {
    const auto results = all_results(
        3, 3, 27, [](std::size_t trial, std::size_t) { return trial == 5 ? -1.0 : static_cast<double>(trial); });
    CHECK(count_at(results, 0) == 27);
    CHECK(count_at(results, 1) == 9);
    CHECK(count_at(results, 2) == 3);
    CHECK(std::ranges::any_of(results, [](const RungResult& each) { return each.trial == 5 && each.rung == 2; }));
}

TEST_CASE("a trial goes on as soon as it is among the best share, while others are on their way") {
    std::vector<RungResult> results = {
        {.trial = 0, .ended = true, .loss = 2}, {.trial = 1, .ended = true, .loss = 1}, {.trial = 2, .ended = false}};
    const auto none = halving_step(results, 2, 3, 3, 9);  // two have ended, of which none is a third
    REQUIRE(none);
    CHECK((none->trial == 3 && none->rung == 0));
    results[2] = {.trial = 2, .ended = true, .loss = 3};
    const auto best = halving_step(results, 2, 3, 3, 9);
    CHECK((best->trial == 1 && best->rung == 1));
    results.push_back({.trial = 1, .rung = 1, .ended = false});  // it is not sent twice
    CHECK(halving_step(results, 2, 3, 3, 9)->rung == 0);
    CHECK_FALSE(halving_step(results, 2, 3, 3, 3));
}

TEST_CASE("trials that failed do not go on, however few there are") {
    const auto results = all_results(2, 2, 8, [](std::size_t trial, std::size_t) { return trial < 6 ? NAN : 1.0; });
    CHECK(count_at(results, 1) == 2);
    CHECK(std::ranges::none_of(results, [](const RungResult& each) { return each.rung == 1 && each.trial < 6; }));
}

// A curve falls to a level of its own; what a rung shows is noisy, and less so further up.
TEST_CASE("with half of the steps, halving finds as good a trial as running all to the end") {
    const tn_key key = make_key(3, "halving");
    const auto loss = [&](std::size_t trial, std::size_t rung) {
        const tn_random_block block = tn_philox(key, trial);
        const double level = tn_uniform(block.word[0], block.word[1]);
        const double noise = tn_uniform(block.word[2], block.word[3]) - 0.5;
        return level + (0.3 * noise / std::pow(3.0, rung));
    };
    const auto results = all_results(3, 3, 81, loss);
    double steps = 0;
    double found = 1;
    double best = 1;
    for (const RungResult& each : results) {
        steps += each.rung == 0 ? 1 : each.rung == 1 ? 2 : 6;  // ends at 1, 3 and 9
        found = each.rung == 2 ? std::min(found, loss(each.trial, 2)) : found;
    }
    for (std::size_t trial = 0; trial < 81; ++trial) {
        best = std::min(best, loss(trial, 2));
    }
    CHECK(steps < 0.5 * 81 * 9);
    CHECK(found < best + 0.05);
}

}  // namespace halving_test
