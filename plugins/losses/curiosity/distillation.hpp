// SPDX-License-Identifier: Apache-2.0
// Random network distillation (Burda et al. 2018, arXiv 1810.12894): a network learns to predict the output of another
// one, which is random and never changes. Its error is large for observations that it has not learnt from, so the error
// is a bonus for new ones.
#pragma once

#include <tuple>

#include "bonus.hpp"

namespace curiosity {

struct Distillation : Bonus {
    // At what the step has led to.
    [[nodiscard]] Value error(const Graph& g) const {
        const Value x = seen(g, g.batch().next(), true);
        const Value wanted = stop_gradient(network(g, "target", x, size, true));
        return noted(g, mean(square(network(g, "predictor", x, size) - wanted)));
    }
    [[nodiscard]] Value bonus(const Graph& g) const { return bonus_of(g, error(g)); }
    [[nodiscard]] Value reward(const Graph& g) const { return reward_of(g, error(g)); }

    static constexpr auto functions = std::tuple{tenon::function<&Distillation::error>("error", "", "error"),
                                                 tenon::function<&Distillation::bonus>("bonus", "", "bonus"),
                                                 tenon::function<&Distillation::reward>("reward", "", "reward")};
};

}  // namespace curiosity
