// SPDX-License-Identifier: Apache-2.0
// Advantages of answers: the reward of an answer compared with those of the other answers to the same prompt, which are
// the agents of a group.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/agents.hpp"
#include "tokens.hpp"

namespace language {

struct Group : Tokens {
    std::string scale;
    bool filter = false;
    std::int64_t overlong = 0;

    // Minus 1 for the longest answer, and in proportion for those that are less than `overlong` shorter (Yu et al.
    // 2025, arXiv 2503.14476, eq. 13).
    [[nodiscard]] Value shaped(const tenon::Graph& g, Value reward, Value counted) const {
        if (overlong == 0) {
            return reward;
        }
        if (stop < 0 && length_of.empty() && tenon::length_key(g, "action").empty()) {
            throw tenon::InvalidArgument(
                "overlong is " + std::to_string(overlong) +
                ", a penalty for answers that are nearly as long as the longest, but without an "
                "end all answers are as long: set stop to the token that ends one");
        }
        const auto longest = static_cast<double>(tenon::last_size(counted)), buffer = static_cast<double>(overlong);
        return reward - clamp((sum(counted) - (longest - buffer)) / buffer, 0.0, 1.0);
    }

    [[nodiscard]] Value advantages(Value reward) const {
        const Value all = tenon::agents(reward);
        const auto count = static_cast<double>(tenon::last_size(all));
        if (count < 2 && all.id != 0) {
            throw tenon::InvalidArgument("it compares the answers to a prompt, but there is only one for each");
        }
        const Value centred = all - unsqueeze(mean(all));
        const Value deviation = sqrt(unsqueeze(sum(square(centred))) / (count - 1));
        return uncollect(scale == "deviation" ? centred / max(deviation, 1e-6) : centred, reward);
    }

    // 0 for prompts whose answers all have the same reward, if they are left out; else 1.
    [[nodiscard]] Value kept(Value advantage) const {
        const Value size = tenon::agents(abs(advantage));
        return filter ? where(unsqueeze(max_over(size)) > 0, size * 0 + 1, size * 0) : size * 0 + 1;
    }

    static constexpr auto options = std::tuple_cat(
        token_options("token_mean"),
        std::tuple{tenon::option<&Group::scale>(
                       "scale", "deviation", "deviation|none",
                       "whether advantages are divided by the deviation of the group's rewards; none: as in Dr. GRPO"),
                   tenon::option<&Group::filter>(
                       "filter", false, "", "leaves out prompts whose answers all have the same reward, as DAPO does"),
                   tenon::option<&Group::overlong>("overlong", 0, "[0,inf)",
                                                   "how much shorter than the longest possible an answer must be to "
                                                   "avoid DAPO's penalty; 0: no penalty")});
};

}  // namespace language
