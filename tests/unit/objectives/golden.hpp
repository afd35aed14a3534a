// SPDX-License-Identifier: Apache-2.0
// Files of tests/golden: cases of named lists of numbers, between "case NAME" and "end".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tenon::test {

struct GoldenCase {
    std::string name;
    std::map<std::string, std::vector<double>> lists;

    [[nodiscard]] const std::vector<double>& operator[](const std::string& key) const { return lists.at(key); }
    [[nodiscard]] double number(const std::string& key) const { return lists.at(key).at(0); }
};

inline std::vector<GoldenCase> read_golden(const std::string& file) {
    std::ifstream in(std::string(TENON_GOLDEN_DIR) + "/" + file);
    REQUIRE(in);
    std::vector<GoldenCase> cases;
    for (std::string text; std::getline(in, text);) {
        std::istringstream line(text);
        std::string key;
        line >> key;
        if (key == "case") {
            line >> cases.emplace_back().name;
        } else if (!cases.empty() && key != "end") {
            std::vector<double>& list = cases.back().lists[key];
            for (double value = 0; line >> value;) {
                list.push_back(value);
            }
        }
    }
    return cases;
}

inline GoldenCase golden_case(const std::string& file, const std::string& name) {
    for (GoldenCase& each : read_golden(file)) {
        if (each.name == name) {
            return each;
        }
    }
    FAIL("no case " << name << " in " << file);
    return {};
}

// The largest difference, each relative to the larger of 1 and the expected magnitude.
inline double worst_difference(const std::vector<double>& a, const std::vector<double>& expected) {
    REQUIRE(a.size() == expected.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double error = std::abs(a[i] - expected[i]) / std::max(1.0, std::abs(expected[i]));
        worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    return worst;
}

}  // namespace tenon::test
