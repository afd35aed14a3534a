// SPDX-License-Identifier: Apache-2.0
// A model of rewards from pairs of answers (Bradley and Terry 1952): the probability that an answer is preferred is a
// sigmoid of the difference between the two scores.
#pragma once

#include <string>
#include <tuple>

#include "tenon/objective.hpp"
#include "tenon/options.hpp"

namespace language {

struct RewardModel {
    std::string chosen;
    std::string rejected;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto judge = g.network("judge")(batch);
        const auto score = [&](const std::string& column) {
            return judge.call<1>("score", {batch[column.c_str()]})[0];
        };
        const auto margin = score(chosen) - score(rejected);
        g.rows("reward_model", softplus(-margin));
        g.metric("accuracy", batch_mean(margin > 0));
    }

    static constexpr auto options =
        std::tuple{tenon::option<&RewardModel::chosen>("chosen", "chosen", "", "the column with the better answers"),
                   tenon::option<&RewardModel::rejected>("rejected", "rejected", "", "the column with the worse ones")};
};

}  // namespace language
