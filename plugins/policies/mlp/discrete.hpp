// SPDX-License-Identifier: Apache-2.0
// Actors that choose among finitely many actions, and only among those that the env allows.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>

#include "action.hpp"
#include "body.hpp"
#include "tenon/actor.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/heads/bernoulli.hpp"
#include "tenon/heads/categorical.hpp"
#include "tenon/heads/multi_categorical.hpp"
#include "tenon/heads/one_hot.hpp"

namespace mlp {

struct Categorical : Body {
    [[nodiscard]] tenon::Categorical head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "categorical", "a categorical action", 0);
        return action == nullptr ? tenon::Categorical{}
                                 : tenon::Categorical{tenon::only_allowed(g, (*this)(g, action->categories[0]))};
    }
};

struct OneHot : Body {
    [[nodiscard]] tenon::OneHot head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "one_hot", "a one-hot action", 1);
        return action == nullptr
                   ? tenon::OneHot{}
                   : tenon::OneHot{tenon::only_allowed(g, (*this)(g, action->categories[0])), tenon::kind_of(*action)};
    }
};

struct MultiCategorical : Body {
    [[nodiscard]] tenon::MultiCategorical head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "multi_categorical", "a multi-categorical action", 1);
        if (action == nullptr) {
            return {};
        }
        const std::span sizes(action->categories, action->category_count);
        const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        return {tenon::by_part(tenon::only_allowed(g, (*this)(g, all)), sizes)};
    }
};

struct Bernoulli : Body {
    [[nodiscard]] tenon::Bernoulli head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "bernoulli", "a binary action", 1);
        return action == nullptr ? tenon::Bernoulli{}
                                 : tenon::Bernoulli{(*this)(g, action->shape[0]), tenon::kind_of(*action)};
    }
};

}  // namespace mlp
