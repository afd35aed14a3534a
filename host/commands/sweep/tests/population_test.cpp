// SPDX-License-Identifier: Apache-2.0
// What the members of a population do after a generation.
#include "commands/sweep/search/population.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace population_test {

using namespace tenon;

const Space kSpace = {{.min = 1e-4, .max = 1e-1, .log = true}, {.choices = 5}, {.min = 1, .max = 9, .integer = true}};

std::vector<Observation> members(const std::vector<double>& losses) {
    std::vector<Observation> out;
    for (const double loss : losses) {
        out.push_back({.point = {1e-2, 2, 5}, .loss = loss});
    }
    return out;
}

TEST_CASE("the worst share copies members of the best share, and the others stay as they are") {
    const auto before = members({3, 1, 4, 1.5, 9, 2.6, 5, 3.5});
    for (std::size_t generation = 1; generation < 50; ++generation) {
        const auto plan = population_plan(kSpace, before, {}, 1, generation);
        REQUIRE(plan.size() == 8);
        for (std::size_t i = 0; i < 8; ++i) {
            if (i == 4 || i == 6) {
                CHECK((plan[i].from == 1 || plan[i].from == 3));
            } else {
                CHECK(plan[i].from == i);
                CHECK(plan[i].point == before[i].point);
            }
        }
    }
}

TEST_CASE("a copied value moves by half a step to one and a half, unless it is drawn anew, and stays in its range") {
    const auto before = members({0, 1});
    double shortest = 1;
    double longest = 0;
    for (std::size_t generation = 1; generation < 200; ++generation) {
        const auto near = population_plan(kSpace, before, {.resample = 0}, 1, generation)[1].point;
        const double move = std::abs(position_of(kSpace[0], near[0]) - position_of(kSpace[0], 1e-2));
        shortest = std::min(shortest, move);
        longest = std::max(longest, move);
        CHECK((near[1] == 1 || near[1] == 3));
        CHECK((near[2] >= 3 && near[2] <= 7));
    }
    CHECK((shortest > 0.05 - 1e-9 && shortest < 0.055));
    CHECK((longest < 0.15 + 1e-9 && longest > 0.145));
    double least = 1;
    double most = 0;
    for (std::size_t generation = 1; generation < 200; ++generation) {
        const auto far = population_plan(kSpace, before, {.resample = 1}, 1, generation)[1].point;
        least = std::min(least, far[0]);
        most = std::max(most, far[0]);
        CHECK((far[0] >= 1e-4 && far[0] <= 1e-1 && far[1] >= 0 && far[1] <= 4));
    }
    CHECK(least < 2e-4);
    CHECK(most > 5e-2);
    std::vector<Observation> edge = members({0, 1});
    edge[0].point = {1e-1, 4, 9};
    for (std::size_t generation = 1; generation < 20; ++generation) {
        const auto at_edge = population_plan(kSpace, edge, {.resample = 0}, 1, generation)[1].point;
        CHECK((at_edge[0] < 1e-1 && at_edge[1] == 3 && at_edge[2] <= 9));
    }
}

TEST_CASE("copies of one member differ, also of one at the end of a range") {
    for (const double value : {1e-2, 1e-1, 1e-4}) {
        auto before = members({0, NAN, NAN, NAN, NAN, NAN, NAN, NAN});
        before[0].point = {value, 4, 9};
        std::vector<double> seen;
        for (const MemberPlan& plan : population_plan(kSpace, before, {.resample = 0}, 3, 1)) {
            CHECK(plan.from == 0);
            seen.push_back(plan.point[0]);
        }
        std::ranges::sort(seen);
        CHECK(std::ranges::adjacent_find(seen) == seen.end());
    }
}

TEST_CASE("failed members are replaced however many they are, unless all have failed; equals are not") {
    const auto some = population_plan(kSpace, members({NAN, NAN, NAN, 2}), {}, 1, 1);
    CHECK((some[0].from == 3 && some[1].from == 3 && some[2].from == 3 && some[3].from == 3));
    const auto none = population_plan(kSpace, members({NAN, NAN}), {}, 1, 1);
    CHECK((none[0].from == 0 && none[1].from == 1));
    const auto equal = population_plan(kSpace, members({1, 1, 1, 1}), {}, 1, 1);
    CHECK(std::ranges::all_of(equal,
                              [&](const MemberPlan& each) { return each.from == std::size_t(&each - equal.data()); }));
}

// Each member descends at a rate that its value sets: only moving values while training finds the changing best rate.
TEST_CASE("a population ends better than its members would alone") {
    const Space space = {{.min = 1e-3, .max = 1, .log = true}};
    const auto end = [&](bool copies) {
        std::vector<Observation> all;
        std::vector<double> states(8, 1.0);
        for (std::uint64_t i = 0; i < 8; ++i) {
            all.push_back({.point = random_point(space, 5, i)});
        }
        for (std::size_t generation = 1; generation <= 30; ++generation) {
            const double wanted = std::pow(10, -3.0 * static_cast<double>(generation) / 30);
            for (std::size_t i = 0; i < 8; ++i) {
                const double distance = std::abs(std::log10(all[i].point[0] / wanted));
                states[i] *= 1 - (0.5 * std::exp(-2 * distance));
                all[i].loss = states[i];
            }
            const auto plan = population_plan(space, all, {}, 5, generation);
            for (std::size_t i = 0; copies && i < 8; ++i) {
                all[i].point = plan[i].point;
                states[i] = all[plan[i].from].loss;
            }
        }
        return *std::ranges::min_element(states);
    };
    CHECK(end(true) < 0.1 * end(false));
}

TEST_CASE("a plan is a function of its inputs, and differs by seed and generation") {
    const auto before = members({0, 1});
    const auto at = [&](std::uint64_t seed, std::size_t generation) {
        return population_plan(kSpace, before, {.resample = 1}, seed, generation)[1].point;
    };
    CHECK(at(1, 1) == at(1, 1));
    CHECK(at(1, 1) != at(2, 1));
    CHECK(at(1, 1) != at(1, 2));
}

}  // namespace population_test
