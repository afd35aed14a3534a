// SPDX-License-Identifier: Apache-2.0
// The returns of each group of agents in an evaluation, if the env has several groups with rewards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experience/env/lanes.hpp"
#include "train/collect/score.hpp"
#include "train/collect/score_sheet.hpp"

namespace tenon {

class GroupReturns {
public:
    explicit GroupReturns(const Lanes& lanes);

    // Starts counting, as ScoreSheet::begin.
    void begin(const std::vector<std::int64_t>& episodes);
    // Adds the rewards of the latest step of lanes that have called sum_groups. `ended`: the episodes that end with it.
    void add(const Lanes& lanes, std::span<const EndedEpisode> ended);
    // Episodes that are cut off after that step.
    void cut_off(std::span<const EndedEpisode> ended);

    [[nodiscard]] std::vector<NamedScore> scores() const;

private:
    struct Group {
        std::string name;
        std::vector<double> running;  // [lane]
        ScoreSheet sheet;
    };
    std::vector<Group> groups_;
};

}  // namespace tenon
