// SPDX-License-Identifier: Apache-2.0
// Distillation (Hinton et al. 2015, arXiv 1503.02531; Agarwal et al. 2024, arXiv 2306.13649): a policy learns the
// probabilities that a teacher gives to the tokens of answers. The answers are those of a column, or its own.
#pragma once

#include <string>
#include <tuple>

#include "tenon/agents.hpp"
#include "tenon/objective.hpp"
#include "tokens.hpp"

namespace language {

struct Distillation : Tokens {
    std::string answer;
    std::string teacher;
    std::string direction;
    std::string form;

    void update(const tenon::Graph& g) const {
        g.stage("update", {.owns = {"actor"}});  // the teacher stays as it is
        const auto batch = g.batch();
        const Value tokens = batch[answer.c_str()];
        const tenon::Network actor = g.network("actor");
        const tenon::Bound student = actor(batch);
        const tenon::Bound wise = (teacher.empty() ? actor.reference() : g.network(teacher.c_str()))(batch);
        const Value log_prob = by_token(student.log_prob_by_head(tokens));
        const Value counted = counts_of(g, answer, log_prob), one = mean(counted) * 0 + 1;
        const Value away = by_token(wise.log_prob_by_head(tokens)) - log_prob;
        if (form == "sampled") {
            const Value ratio = direction == "forward" ? -away : away;
            g.rows("distillation", of_answer(exp(ratio) - 1 - ratio, counted, one));
        } else {
            const auto of_answer_column = [&](const tenon::Bound& network) {
                return answer == "action" ? network : network.with("action", tokens);
            };
            const tenon::Bound from = of_answer_column(direction == "forward" ? wise : student);
            const Value kl = from.kl_to(of_answer_column(direction == "forward" ? student : wise));
            g.rows("distillation", of_total(kl, sum(counted), tenon::last_size(counted), one));
        }
        g.metric("teacher_gap", batch_mean(tenon::mean_over_agents(sum(abs(away) * counted) / max(sum(counted), 1.0))));
    }

    static constexpr auto options = std::tuple_cat(
        token_options("answer_mean"),
        std::tuple{
            tenon::option<&Distillation::answer>("answer", "action", "",
                                                 "the column with the answers: action for the policy's own, or others"),
            tenon::option<&Distillation::teacher>(
                "teacher", "", "", "the network that is followed, such as teacher; empty: the reference of the actor"),
            tenon::option<&Distillation::direction>(
                "direction", "forward", "forward|reverse",
                "forward: the divergence from the teacher to the policy, which covers all that the teacher does; "
                "reverse: from the policy to the teacher"),
            tenon::option<&Distillation::form>(
                "form", "exact", "exact|sampled",
                "exact: over all tokens of the vocabulary; sampled: estimated from the tokens of the answers, as in "
                "TorchRL's DistillationLoss")});
};

}  // namespace language
