// SPDX-License-Identifier: Apache-2.0
// The steps of tests/golden/normalise_reward.txt: what Gymnasium's NormalizeReward makes of rewards.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace tenon::test {

struct NormalisedReward {
    double reward;
    bool terminated;
    bool truncated;
    double normalised;
};

inline std::vector<NormalisedReward> normalised_rewards(const std::string& golden_folder) {
    std::vector<NormalisedReward> out;
    std::ifstream file(golden_folder + "/normalise_reward.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line);
        if (NormalisedReward step{}; in >> step.reward >> step.terminated >> step.truncated >> step.normalised) {
            out.push_back(step);
        }
    }
    REQUIRE(out.size() == 60);
    return out;
}

}  // namespace tenon::test
