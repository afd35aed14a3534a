// SPDX-License-Identifier: Apache-2.0
#include "train/collect/group_returns.hpp"

#include <cstddef>
#include <utility>

#include "experience/env/summed_reward.hpp"

namespace tenon {

GroupReturns::GroupReturns(const Lanes& lanes) {
    for (const std::string_view name : groups_with_rewards(lanes.env_info().specs)) {
        groups_.push_back({.name = std::string(name), .running = std::vector<double>(lanes.count()), .sheet = {}});
    }
}

void GroupReturns::begin(const std::vector<std::int64_t>& episodes) {
    for (Group& group : groups_) {
        group.sheet.begin(episodes);
        group.running.assign(group.running.size(), 0);
    }
}

void GroupReturns::add(const Lanes& lanes, std::span<const EndedEpisode> ended) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        std::vector<double>& running = groups_[i].running;
        const std::span<const double> rewards = lanes.rewards_of_group(i);
        for (std::size_t lane = 0; lane < running.size(); ++lane) {
            running[lane] = (lanes.lost()[lane] != 0 ? 0 : running[lane]) + rewards[lane];
        }
    }
    cut_off(ended);
}

void GroupReturns::cut_off(std::span<const EndedEpisode> ended) {
    for (Group& group : groups_) {
        for (EndedEpisode episode : ended) {
            episode.episode.total = std::exchange(group.running[episode.lane], 0.0);
            group.sheet.add({&episode, 1});
        }
    }
}

std::vector<NamedScore> GroupReturns::scores() const {
    std::vector<NamedScore> out;
    for (const Group& group : groups_) {
        out.push_back({group.name, group.sheet.score()});
    }
    return out;
}

}  // namespace tenon
