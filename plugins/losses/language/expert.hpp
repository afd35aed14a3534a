// SPDX-License-Identifier: Apache-2.0
// Expert iteration (Anthony et al. 2017, arXiv 1705.08439; of language models: Singh et al. 2024, arXiv 2312.06585):
// the policy answers each prompt several times, and learns the best answers as in supervised fine-tuning. Rewards only
// choose; there is no ratio and no baseline.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/agents.hpp"
#include "tenon/objective.hpp"
#include "tenon/sorting.hpp"
#include "tokens.hpp"

namespace language {

struct Expert : Tokens {
    std::int64_t best = 1;

    // An answer that is as bad as the worst to its prompt is not kept, so a prompt whose answers are all equal has
    // none.
    void prepare(const tenon::Graph& g) const {
        const Value reward = g.batch().next()["reward"];
        const Value all = tenon::agents(reward);
        const std::int64_t count = tenon::last_size(all);
        if (best >= count && all.id != 0) {
            throw tenon::InvalidArgument("it keeps the best " + std::to_string(best) +
                                         " answers to a prompt, but there are " + std::to_string(count) +
                                         " for each; set best of the objective, or answers of the env");
        }
        const Value least = slice(tenon::top_k(all, best).values, best - 1, 1);
        const Value kept = all >= least && all > unsqueeze(min_over(all));
        g.write("kept", uncollect(where(kept, 1.0, 0.0), reward));
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const Value log_prob = by_token(g.network("actor")(batch).log_prob_by_head(batch["action"]));
        const Value kept = batch["kept"];
        g.rows("expert", of_answer(-log_prob, counts_of(g, "action", log_prob), kept));
        g.metric("kept", batch_mean(tenon::mean_over_agents(kept)));
    }

    static constexpr auto options =
        std::tuple_cat(token_options("answer_mean"),
                       std::tuple{tenon::option<&Expert::best>("best", 1, "[1,inf)",
                                                               "answers of each prompt that are learnt; more if "
                                                               "several are as good as the last of them")});
};

}  // namespace language
