// SPDX-License-Identifier: Apache-2.0
// A sparse reward: a number for success, otherwise 0. Success is a column that is true, or above a number, after the
// step. The same as TorchRL's SuccessReward.
#pragma once

#include <algorithm>
#include <string>

#include "rewards/single_reward.hpp"
#include "tenon/transform.hpp"

struct RewardSuccess {
    std::string success;
    std::string column;
    double above;
    double scale;
    tenon::Port in;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardSuccess::success>("success", "success", "the observation or reward that tells of success"),
        tenon::option<&RewardSuccess::column>("column", "reward", "the reward to replace"),
        tenon::option<&RewardSuccess::above>("above", 0.5, "(-inf,inf)",
                                             "a success is above this number; true is 1, false 0"),
        tenon::option<&RewardSuccess::scale>("scale", 1.0, "(-inf,inf)", "the reward for success"),
    };

    void wire(tenon::TransformSpecs& specs) {
        specs.read(in, success);
        const tenon::Spec& reward = specs.find(column);
        require_single_reward(reward);
        // The extras of an episode's last step are those of the next episode's first one.
        if ((in.spec.role != TN_ROLE_OBSERVATION && in.spec.role != TN_ROLE_REWARD) || in.spec.elements() != 1) {
            throw tenon::InvalidArgument("column '" + success + "' cannot tell of success: it is not an observation " +
                                         "or reward of one number");
        }
        specs.replace(out, column,
                      tenon::bounded(column, reward.shape, std::min(0.0, scale), std::max(0.0, scale), reward.dtype));
    }

    void step(const tenon::TransformRow& row) const { row.set_number(out, row.number(in) > above ? scale : 0); }
};
