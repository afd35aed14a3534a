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
    std::string rows;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        if (!rows.empty()) {
            return update_packed(g, batch);
        }
        if (g.spec("packed_first", true) != nullptr) {
            g.warn(
                "nothing reads the env's rows of several examples: set objective.packed = \"packed\", or env.pack = 0");
        }
        const Value right = batch[answer.c_str()];
        const Value log_prob = by_token(g.network("actor")(batch).log_prob_by_head(right));
        const Value counted = counts_of(g, answer, log_prob);
        g.rows("sft", of_answer(-log_prob, counted, mean(counted) * 0 + 1));
    }

    static constexpr auto options = std::tuple_cat(
        token_options("answer_mean"),
        std::tuple{tenon::option<&Sft::answer>("answer", "action", "", "the column with the right answers"),
                   tenon::option<&Sft::rows>("packed", "", "",
                                             "a column of rows that have several examples each, in place of `answer`; "
                                             "KEY_first says where the example of a token begins, KEY_weight what part "
                                             "of its answer a token is")});

private:
    // Each answer has the weight 1 in a mean over answers, each of its tokens in one over tokens.
    void update_packed(const tenon::Graph& g, const tenon::Batch& batch) const {
        if (aggregate == "longest" || stop >= 0 || !length_of.empty()) {
            throw tenon::InvalidArgument(
                "packed rows say themselves which tokens count, so stop, length and aggregate = "
                "\"longest\" cannot be given with them");
        }
        if (g.spec(rows.c_str(), true) == nullptr) {
            throw tenon::InvalidArgument("packed = \"" + rows + "\", but there is no column '" + rows +
                                         "'; texts/file has the column 'packed' if env.pack is above 0, such as 256");
        }
        const Value weight = batch[(rows + "_weight").c_str()];
        const Value tokens = batch[rows.c_str()], first = batch[(rows + "_first").c_str()];
        const Value log_prob = g.network("actor")(batch).call<1>("packed", {tokens, first})[0];
        const Value counted = aggregate == "token_mean" ? where(weight > 0, 1.0, 0.0) : weight;
        g.rows("sft", -sum(log_prob * counted) / max(mean_rows(sum(counted)), 1e-12));
    }
};

}  // namespace language
