// SPDX-License-Identifier: Apache-2.0
// The sum of the episode's rewards so far, 0 at its start, as an observation. The same as TorchRL's RewardSum, but
// summed in double precision.
#pragma once

#include <string>

#include "rewards/single_reward.hpp"
#include "tenon/transform.hpp"

struct RewardSum {
    std::string reward;
    std::string column;
    tenon::Port in;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardSum::reward>("reward", "reward", "the reward to sum"),
        tenon::option<&RewardSum::column>("column", "episode_reward", "the key of the sum"),
    };

    struct Lane {
        double total = 0;
    };

    void wire(tenon::TransformSpecs& specs) {
        specs.read(in, reward);
        require_single_reward(in.spec);
        specs.add(out, tenon::unbounded(column));
    }

    void begin(Lane& lane, const tenon::TransformRow& row) const {
        lane.total = 0;
        row.row<float>(out)[0] = 0;
    }

    void step(Lane& lane, const tenon::TransformRow& row) const {
        lane.total += row.number(in);
        row.row<float>(out)[0] = static_cast<float>(lane.total);
    }
};
