// SPDX-License-Identifier: Apache-2.0
// tenon-bench-search FUNCTION SEARCH TRIALS SEEDS: the least value that the search has found, a line for each seed. The
// functions are Branin and Hartmann6, as bench/search_peer.py has them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "commands/sweep/search/search.hpp"

namespace {

double branin(const tenon::Point& at) {
    constexpr double kPi = std::numbers::pi;
    const double bowl = at[1] - (5.1 / (4 * kPi * kPi) * at[0] * at[0]) + (5 / kPi * at[0]) - 6;
    return (bowl * bowl) + (10 * (1 - (1 / (8 * kPi))) * std::cos(at[0])) + 10;
}

double hartmann6(const tenon::Point& at) {
    constexpr std::array<double, 4> kHeights = {1.0, 1.2, 3.0, 3.2};
    constexpr std::array<std::array<double, 6>, 4> kWidths = {
        {{10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}}};
    constexpr std::array<std::array<double, 6>, 4> kCentres = {{{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                                                {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                                                {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                                                {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}}};
    double out = 0;
    for (std::size_t i = 0; i < kHeights.size(); ++i) {
        double distance = 0;
        for (std::size_t k = 0; k < at.size(); ++k) {
            distance += kWidths[i][k] * (at[k] - kCentres[i][k]) * (at[k] - kCentres[i][k]);
        }
        out -= kHeights[i] * std::exp(-distance);
    }
    return out;
}

}  // namespace

int main(int count, char** words) {
    if (count != 5) {
        std::cerr << "tenon-bench-search branin|hartmann6 tpe|random TRIALS SEEDS\n";
        return 2;
    }
    const bool is_branin = std::string(words[1]) == "branin";
    const bool is_tpe = std::string(words[2]) == "tpe";
    const tenon::Space space =
        is_branin ? tenon::Space{{.min = -5, .max = 10}, {.min = 0, .max = 15}} : tenon::Space(6, {.min = 0, .max = 1});
    const std::uint64_t trials = std::strtoull(words[3], nullptr, 10);
    const std::uint64_t seeds = std::strtoull(words[4], nullptr, 10);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        std::vector<tenon::Observation> known;
        double best = std::numeric_limits<double>::infinity();
        for (std::uint64_t i = 0; i < trials; ++i) {
            const tenon::Point at =
                is_tpe ? tenon::tpe_point(space, known, seed, i) : tenon::random_point(space, seed, i);
            known.push_back({.point = at, .loss = is_branin ? branin(at) : hartmann6(at)});
            best = std::min(best, known.back().loss);
        }
        std::cout << std::setprecision(17) << best << '\n';
    }
    return 0;
}
