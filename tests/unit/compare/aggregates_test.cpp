// SPDX-License-Identifier: Apache-2.0
// Aggregates, profiles, probabilities of improvement and intervals against rliable's
// (tests/golden/generate/rliable_scores.py).
#include "shared/compare/aggregates.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "shared/compare/bootstrap.hpp"
#include "support/catch.hpp"

namespace aggregates_test {

namespace {

using tenon::Scores;

struct Golden {
    std::string name;
    Scores x, y;
    std::map<std::string, std::vector<double>> values;
};

std::vector<double> numbers(std::istream& in) {
    std::vector<double> out;
    std::string line;
    std::getline(in, line);
    std::istringstream words(line);
    for (double value = 0; words >> value;) {
        out.push_back(value);
    }
    return out;
}

std::vector<Golden> golden() {
    std::ifstream in(TENON_GOLDEN "/rliable_scores.txt");
    std::vector<Golden> out;
    for (std::string key; in >> key;) {
        if (key == "#") {
            std::getline(in, key);
        } else if (key == "case") {
            in >> out.emplace_back().name;
        } else if (key == "x" || key == "y") {
            std::size_t tasks = 0;
            std::size_t runs = 0;
            in >> tasks >> runs >> std::ws;
            for (std::size_t task = 0; task < tasks; ++task) {
                (key == "x" ? out.back().x : out.back().y).push_back(numbers(in));
                REQUIRE((key == "x" ? out.back().x : out.back().y).back().size() == runs);
            }
        } else {
            out.back().values[key] = numbers(in);
        }
    }
    return out;
}

// The same but for the order in which numbers are added.
void check_same(double ours, double theirs) {
    CHECK(std::abs(ours - theirs) <= 4e-16 * std::max(1.0, std::abs(theirs)));
}

}  // namespace

TEST_CASE("scores are aggregated as rliable does") {
    const std::vector<Golden> cases = golden();
    REQUIRE(cases.size() == 6);
    for (const Golden& each : cases) {
        CAPTURE(each.name);
        check_same(tenon::interquartile_mean(each.x), each.values.at("iqm")[0]);
        check_same(tenon::median_of_means(each.x), each.values.at("median")[0]);
        check_same(tenon::mean_of_means(each.x), each.values.at("mean")[0]);
        check_same(tenon::optimality_gap(each.x, 1), each.values.at("gap")[0]);
        check_same(tenon::probability_of_improvement(each.x, each.y), each.values.at("better")[0]);
        const std::vector<double>& taus = each.values.at("taus");
        for (std::size_t i = 0; i < taus.size(); ++i) {
            CHECK(tenon::fraction_above(each.x, taus[i]) == each.values.at("profile")[i]);
        }
    }
}

// Both are percentiles of random draws, 50,000 for the interquartile mean, whose percentiles stray by about a hundredth
// of its deviation. rliable's probabilities come from 5,000 draws, and take few values: the tolerance is one step of
// 1/25.
TEST_CASE("intervals are rliable's, within what the draws leave open") {
    for (const Golden& each : golden()) {
        CAPTURE(each.name);
        const tenon::Estimate iqm = tenon::estimate(each.x, tenon::interquartile_mean);
        REQUIRE(iqm.interval.has_value() == each.values.contains("iqm_interval"));
        if (!iqm.interval) {
            continue;
        }
        const std::vector<double>& theirs = each.values.at("iqm_interval");
        CHECK_THAT(iqm.interval->low, Catch::Matchers::WithinAbs(theirs[0], 0.02));
        CHECK_THAT(iqm.interval->high, Catch::Matchers::WithinAbs(theirs[1], 0.02));
        const std::vector<Scores> both{each.x, each.y};
        const tenon::Estimate better = tenon::estimate(
            both, [](std::span<const Scores> of) { return tenon::probability_of_improvement(of[0], of[1]); });
        CHECK_THAT(better.interval->low, Catch::Matchers::WithinAbs(each.values.at("better_interval")[0], 0.045));
        CHECK_THAT(better.interval->high, Catch::Matchers::WithinAbs(each.values.at("better_interval")[1], 0.045));
    }
}

TEST_CASE("the median of a single task is that of its runs") {
    CHECK(tenon::median_score(Scores{{1, 9, 2}}) == 2);
    CHECK(tenon::median_score(Scores{{1, 9, 2, 4}}) == 3);
    CHECK(tenon::median_score(Scores{{1, 9}, {2, 2}, {7, 9}}) == 5);
}

}  // namespace aggregates_test
