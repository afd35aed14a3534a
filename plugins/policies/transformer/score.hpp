// SPDX-License-Identifier: Apache-2.0
// A judge of answers: one number for a prompt and its answer, from the output after the last token, or the mean of what
// the outputs after each token give. As a column that is computed ("next.reward" = "judge.reward") it is the reward of
// the batch's actions.
#pragma once

#include <string>
#include <tuple>

#include "decoder.hpp"
#include "tenon/graph_component.hpp"

namespace transformer {

struct Score : Decoder {
    std::string pool;

    [[nodiscard]] Value score(const tenon::Graph& g, Value answer) const {
        const Sizes n = sizes(g);
        const Value tokens = tenon::concat(last_of_prompt(g, n), answer);
        const Value places = tenon::count_up(n.answer + 1) + static_cast<double>(n.prompt - 1);
        const Value all = after_prompt(g, n, tokens, places);
        const Value pooled =
            pool == "mean" ? mean(slice(all, 1, n.answer, -2), -2) : squeeze(slice(all, n.answer, 1, -2), -2);
        return squeeze(dense(g, "score", pooled, 1));
    }
    [[nodiscard]] Value reward(const tenon::Graph& g) const { return score(g, g.batch()["action"]); }

    static constexpr auto options = std::tuple_cat(
        Decoder::options,
        std::tuple{tenon::option<&Score::pool>(
            "pool", "mean", "mean|last",
            "what the score is made of: the outputs after all tokens of the answer, or the one after the last")});
    static constexpr auto functions = std::tuple{tenon::function<&Score::score>("score", "answer", "score"),
                                                 tenon::function<&Score::reward>("reward", "", "reward")};
};

}  // namespace transformer
