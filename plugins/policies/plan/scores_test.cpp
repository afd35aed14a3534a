// SPDX-License-Identifier: Apache-2.0
#include "scores.hpp"

#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "support/catch.hpp"

namespace scores_test {

using Catch::Approx;
using plan::Tried;

TEST_CASE("scores of actions in a tree are those of TorchRL") {
    std::ifstream file(TENON_GOLDEN_DIR "/mcts_scores.txt");
    REQUIRE(file);
    int lines = 0;
    for (std::string text; std::getline(file, text);) {
        if (text.starts_with("#")) {
            continue;
        }
        INFO(text);
        std::istringstream line(text);
        std::string rule;
        double c = 0, visits = 0, expected = 0;
        Tried tried;
        REQUIRE(line >> rule >> c >> visits >> tried.visits >> tried.sum >> tried.squares >> tried.prior >> expected);
        CHECK(plan::score(rule, tried, visits, c) == Approx(expected).epsilon(1e-12).margin(1e-12));
        ++lines;
    }
    CHECK(lines == 54);
}

TEST_CASE("an action that was not tried comes first, or has its prior") {
    const Tried fresh{.prior = 0.25}, good{.visits = 4, .sum = 4, .squares = 4, .prior = 0.75};
    for (const char* rule : {"ucb", "ucb1", "ucb1_tuned"}) {
        CHECK(plan::score(rule, fresh, 4, 1) == std::numeric_limits<double>::infinity());
        CHECK(plan::score(rule, good, 4, 1) < 10);
    }
    CHECK(plan::score("puct", fresh, 4, 2) == 2 * 0.25 * 2);
}

TEST_CASE("UCB1 adds the root of twice the logarithm over the visits") {
    CHECK(plan::ucb1({.visits = 5, .sum = 2}, 20, std::sqrt(2.0)) == Approx(0.4 + std::sqrt(2 * std::log(20.0) / 5)));
}

}  // namespace scores_test
