// SPDX-License-Identifier: Apache-2.0
#include "train/player.hpp"

#include <algorithm>
#include <utility>

namespace tenon {

Player::Player(Lanes& lanes, Storage& storage, Acting acting)
    : lanes_(&lanes), storage_(&storage), acting_(std::move(acting)) {}

void Player::begin(std::vector<std::int64_t> episodes) {
    left_ = std::move(episodes);
    open_ = static_cast<std::size_t>(std::ranges::count_if(left_, [](std::int64_t left) { return left > 0; }));
    running_.assign(left_.size(), {});
    ended_.clear();
    steps_ = 0;
}

Score Player::score(std::uint32_t first, std::uint32_t count) const {
    std::vector<double> returns;
    std::int64_t steps = 0;
    for (const EndedEpisode& ended : ended_) {
        if (ended.lane >= first && ended.lane - first < count) {
            returns.push_back(ended.episode.total);
            steps += ended.episode.length;
        }
    }
    return score_of(returns, steps);
}

Status Player::step(const RunNumbers& numbers) {
    const std::uint32_t slot = storage_->head();
    Status done = act(numbers);
    if (done) {
        done = lanes_->step();
    }
    if (done) {
        ++steps_;
        count(slot);
    }
    return done;
}

Status Player::act(const RunNumbers& numbers) {
    if (auto* const actor = std::get_if<Actor>(&acting_)) {
        RunNumbers now = numbers;
        now.same_parameters = steps_ > 0;
        return actor->act(*storage_, now, steps_);
    }
    if (auto* const by = procedure()) {
        return by->policy.act(by->mode, by->key, steps_);
    }
    std::get<RandomActions>(acting_).act(*storage_, steps_);
    return {};
}

void Player::count(std::uint32_t slot) {
    const std::size_t at = std::size_t{slot} * storage_->lanes();
    for (std::uint32_t lane = 0; lane < storage_->lanes(); ++lane) {
        if (left_[lane] == 0) {
            continue;
        }
        Episode& episode = running_[lane];
        if (lanes_->lost()[lane] != 0) {
            episode = {};  // this step has begun a new one
        }
        episode.total += lanes_->rewards()[lane];
        ++episode.length;
        if ((storage_->terminated()[at + lane] | storage_->truncated()[at + lane]) != 0) {
            ended_.push_back({lane, std::exchange(episode, {})});
            open_ -= --left_[lane] == 0 ? 1 : 0;
        }
    }
}

}  // namespace tenon
