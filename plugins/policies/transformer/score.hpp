// SPDX-License-Identifier: Apache-2.0
// A judge of answers: one number for a prompt and its answer, from the output after the last token. As a column that is
// computed ("next.reward" = "judge.reward") it is the reward of the batch's actions.
#pragma once

#include <tuple>

#include "decoder.hpp"
#include "tenon/graph_component.hpp"

namespace transformer {

struct Score : Decoder {
    [[nodiscard]] Value score(const tenon::Graph& g, Value answer) const {
        const Sizes n = sizes(g);
        const Value tokens = tenon::concat(last_of_prompt(g, n), answer);
        const Value places = tenon::count_up(n.answer + 1) + static_cast<double>(n.prompt - 1);
        const Value all = after(g, n, read(g, n), tokens, places, [&](std::int64_t, Value keys, Value values) {
            return Rows{keys, values, causal(n.answer + 1)};
        });
        return squeeze(dense(g, "score", squeeze(slice(all, n.answer, 1, -2), -2), 1));
    }
    [[nodiscard]] Value reward(const tenon::Graph& g) const { return score(g, g.batch()["action"]); }

    static constexpr auto functions = std::tuple{tenon::function<&Score::score>("score", "answer", "score"),
                                                 tenon::function<&Score::reward>("reward", "", "reward")};
};

}  // namespace transformer
