// SPDX-License-Identifier: Apache-2.0
// Supervised fine-tuning: the policy learns to give the answers of a column, by the log-probabilities of their tokens.
#pragma once

#include <string>
#include <tuple>

#include "tenon/objective.hpp"
#include "tokens.hpp"

namespace language {

struct Sft : Tokens {
    std::string answer;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const Value right = batch[answer.c_str()];
        const Value log_prob = by_token(g.network("actor")(batch).log_prob_by_head(right));
        const Value counted = counts(batch, right, log_prob);
        g.rows("sft", of_answer(-log_prob, counted, mean(counted) * 0 + 1));
    }

    static constexpr auto options = std::tuple_cat(
        token_options("answer_mean"),
        std::tuple{tenon::option<&Sft::answer>("answer", "action", "", "the column with the right answers")});
};

}  // namespace language
