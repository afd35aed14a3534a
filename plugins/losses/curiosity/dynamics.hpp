// SPDX-License-Identifier: Apache-2.0
// The intrinsic curiosity module (Pathak et al. 2017, arXiv 1705.05363): an inverse model predicts the action between
// two observations from their features, and a forward model predicts the next features from the action. The features
// contain only what actions affect, so the forward model's error is a bonus for new effects of actions.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "bonus.hpp"
#include "tenon/heads/suited.hpp"

namespace curiosity {

struct Dynamics : Bonus {
    // Half of the squared distance of the predicted features from those of the next observation.
    [[nodiscard]] Value error(const Graph& g) const {
        const Value action = action_of(g);
        const Value now = features(g, g.batch(), false), then = features(g, g.batch().next(), true);
        const Value predicted = network(g, "forward", concat(now, action), size);
        return noted(g, 0.5 * sum(square(predicted - then)));
    }

    // Of the inverse model: minus the log-probability of the action, or half of the squared distance from it.
    [[nodiscard]] Value inverse_error(const Graph& g) const {
        const Value action = action_of(g);
        const Value now = features(g, g.batch(), false), then = features(g, g.batch().next(), false);
        const Value told = network(g, "inverse", concat(now, then), tenon::last_size(action));
        const tn_spec* const spec = g.spec("action");
        if (spec != nullptr && spec->kind == TN_SPEC_CATEGORICAL) {
            return -sum(log_softmax(told) * action);
        }
        return 0.5 * sum(square(told - action));
    }

    [[nodiscard]] Value bonus(const Graph& g) const { return bonus_of(g, error(g)); }
    [[nodiscard]] Value reward(const Graph& g) const { return reward_of(g, error(g)); }

    static constexpr auto functions =
        std::tuple{tenon::function<&Dynamics::error>("error", "", "error"),
                   tenon::function<&Dynamics::inverse_error>("inverse_error", "", "error"),
                   tenon::function<&Dynamics::bonus>("bonus", "", "bonus"),
                   tenon::function<&Dynamics::reward>("reward", "", "reward")};

private:
    [[nodiscard]] Value features(const Graph& g, const tenon::Batch& batch, bool notes) const {
        return network(g, "features", seen(g, batch, notes), size);
    }

    // The batch's action as a row of real numbers, a choice one-hot.
    [[nodiscard]] static Value action_of(const Graph& g) {
        const tn_spec* const spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        const Value action = g.batch()["action"];
        if (spec->kind == TN_SPEC_CATEGORICAL) {
            return one_hot(action, spec->categories[0]);
        }
        if ((spec->kind != TN_SPEC_BOUNDED && spec->kind != TN_SPEC_UNBOUNDED) || spec->rank > 1) {
            throw tenon::InvalidArgument(std::string("its inverse model tells categorical actions or rows of real "
                                                     "numbers; this is ") +
                                         tenon::suited(*spec).kind);
        }
        return spec->rank == 0 ? unsqueeze(action) : action;
    }
};

}  // namespace curiosity
