// SPDX-License-Identifier: Apache-2.0
// Actors that choose among finitely many actions, and only among those that the env allows.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "action.hpp"
#include "body.hpp"
#include "tenon/actor.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/heads/bernoulli.hpp"
#include "tenon/heads/categorical.hpp"
#include "tenon/heads/multi_categorical.hpp"
#include "tenon/heads/one_hot.hpp"
#include "tenon/heads/ordinal.hpp"

namespace mlp {

// One output per category.
struct Scores : Body {
    bool ordinal = false;

    [[nodiscard]] tenon::Value logits(const tenon::Graph& g, const tn_spec& action) const {
        const tenon::Value out = (*this)(g, action.categories[0]);
        return tenon::only_allowed(g, ordinal ? tenon::ordinal(out) : out);
    }

    static constexpr auto options = std::tuple_cat(
        Body::options,
        std::tuple{tenon::option<&Scores::ordinal>(
            "ordinal", false, "", "the categories have an order: neighbours get similar probabilities")});
};

struct Categorical : Scores {
    [[nodiscard]] tenon::Categorical head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "categorical", "a categorical action", 0);
        return action == nullptr ? tenon::Categorical{} : tenon::Categorical{logits(g, *action)};
    }
};

struct OneHot : Scores {
    std::string gradient;

    [[nodiscard]] tenon::OneHot head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "one_hot", "a one-hot action", 1);
        if (action == nullptr) {
            return {};
        }
        const std::string_view kind = tenon::kind_of(*action);
        if (gradient != "none" && kind != "real") {
            throw tenon::InvalidArgument("gradient = \"" + gradient +
                                         "\" needs one-hot actions of real numbers, but those of this env are " +
                                         (kind == "bool" ? "flags" : "integers"));
        }
        tenon::OneHot head{logits(g, *action),
                           kind.data()};  // NOLINT(bugprone-suspicious-stringview-data-usage): a literal
        head.gradient = gradient;
        return head;
    }

    static constexpr auto options = std::tuple_cat(
        Scores::options, std::tuple{tenon::option<&OneHot::gradient>(
                             "gradient", "none", "none|pass_through|relaxed",
                             "what a draw passes to the logits: nothing, the gradient of the probabilities, or that of "
                             "a relaxed draw")});
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
