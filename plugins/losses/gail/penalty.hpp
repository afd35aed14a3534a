// SPDX-License-Identifier: Apache-2.0
// The gradient penalty of a critic that tells two batches apart: where its rows are penalised, how far the slope of its
// answer is from the one that it should have. With the slope 1 at random points between the batches it is that of
// Gulrajani et al. 2017, with the slope 0 at one batch's rows the R1 of Mescheder et al. 2018.
#pragma once

#include <string>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/options.hpp"

namespace gail {

struct Penalty {
    bool gradient_penalty = false;
    std::string penalty_of;
    std::string penalty_at;
    std::vector<std::string> penalty_columns;

    // One point a row for each of the columns. Each element of a point between two rows has its own share of both.
    [[nodiscard]] std::vector<tenon::Value> points(const tenon::Batch& own, const tenon::Batch& expert) const {
        std::vector<tenon::Value> out;
        for (const std::string& name : penalty_columns) {
            const tenon::Value theirs = expert[name.c_str()];
            if (penalty_at == "expert") {
                out.push_back(theirs);
                continue;
            }
            const tenon::Value ours = own[name.c_str()];
            const tenon::Value share = random_uniform(ours, ("share." + name).c_str());
            out.push_back(share * ours + (1 - share) * theirs);
        }
        return out;
    }

    void penalty_rows(const tenon::Graph& g, const tenon::Network& critic) const {
        const tenon::Batch own = g.batch(), expert = own.under("expert.");
        const std::vector<tenon::Value> at = points(own, expert);
        tenon::Bound there = critic(penalty_at == "expert" ? expert : own);
        for (std::size_t i = 0; i < at.size(); ++i) {
            there = there.with(penalty_columns[i].c_str(), at[i]);
        }
        const tenon::Value answer = penalty_of == "probability" ? sigmoid(there.value()) : there.value();
        tenon::Value squares = 0.0 * answer;
        for (const tenon::Value& point : at) {
            tenon::Value each = square(gradient(answer, point));
            while (!tenon::sizes_of(each).empty() && each.id != 0) {
                each = sum(each);
            }
            squares = squares + each;
        }
        // The slope of a root at 0 is infinite, so a flat answer is left as it is.
        const tenon::Value flat = squares == 0.0;
        const tenon::Value slope = where(flat, 0.0, sqrt(where(flat, 1.0, squares)));
        g.rows("gradient_penalty", g.option("penalty_coefficient") * square(slope - g.option("slope")));
        g.metric("slope", batch_mean(slope));
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Penalty::gradient_penalty>("gradient_penalty", false,
                                                             "whether the slope of its answers is penalised"),
                   tenon::live("penalty_coefficient", 10.0, "[0,inf)", "weight of the gradient penalty"),
                   tenon::live("slope", 1.0, "[0,inf)", "the slope that has no penalty"),
                   tenon::option<&Penalty::penalty_of>(
                       "penalty_of", "probability", "probability|logit",
                       "whose slope is penalised: the probability that a row is the expert's, or its logit"),
                   tenon::option<&Penalty::penalty_at>(
                       "penalty_at", "between", "between|expert",
                       "where: at random points between own and the expert's rows, or at the expert's rows"),
                   tenon::option<&Penalty::penalty_columns>(
                       "penalty_columns", {"observation", "action"}, "",
                       "columns of real numbers by which the slope is taken; the discriminator reads them")};
};

}  // namespace gail
