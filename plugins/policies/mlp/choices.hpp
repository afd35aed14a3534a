// SPDX-License-Identifier: Apache-2.0
// What an action of choices is made of: one choice (categorical or one-hot), or several at once (multi-categorical, and
// binary with no and yes for each element). A network has a number per alternative, part after part.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "action.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/heads/multi_categorical.hpp"

namespace mlp {

struct Choices {
    const tn_spec* spec = nullptr;    // null if the env has no action, which has been reported
    std::vector<std::int64_t> sizes;  // alternatives of each part

    [[nodiscard]] static Choices of(const tenon::Graph& g) {
        const tn_spec* spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        if (spec->kind == TN_SPEC_BINARY && spec->rank == 1) {
            return {spec, std::vector<std::int64_t>(static_cast<std::size_t>(spec->shape[0]), 2)};
        }
        if ((spec->kind == TN_SPEC_MULTI_CATEGORICAL || spec->kind == TN_SPEC_ONE_HOT) && spec->rank == 1) {
            return {spec, {spec->categories, spec->categories + spec->category_count}};
        }
        return categories_for(g) == nullptr ? Choices{} : Choices{spec, {spec->categories[0]}};
    }

    [[nodiscard]] std::int64_t width() const { return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}); }
    [[nodiscard]] bool has_parts() const {
        return spec->kind == TN_SPEC_MULTI_CATEGORICAL || spec->kind == TN_SPEC_BINARY;
    }

    // The values of forbidden alternatives become tenon::kForbidden; those of a binary action have no masks.
    [[nodiscard]] tenon::Value allowed(const tenon::Graph& g, tenon::Value values) const {
        return spec->kind == TN_SPEC_BINARY ? values : tenon::only_allowed(g, values);
    }

    // The value of an action: of several parts, the sum of the values of their alternatives.
    [[nodiscard]] tenon::Value value(tenon::Value values, tenon::Value action) const {
        if (spec->kind == TN_SPEC_ONE_HOT) {
            return sum(values * cast(action, "real"));
        }
        return has_parts() ? sum(gather(tenon::by_part(values, sizes), cast(action, "int"))) : gather(values, action);
    }

    // The action with the largest value.
    [[nodiscard]] tenon::Value best(tenon::Value values) const {
        if (spec->kind == TN_SPEC_ONE_HOT) {
            return cast(one_hot(argmax(values), sizes.front()), tenon::kind_of(*spec));
        }
        if (!has_parts()) {
            return argmax(values);
        }
        const tenon::Value each = argmax(tenon::by_part(values, sizes));
        return spec->kind == TN_SPEC_BINARY ? cast(each, tenon::kind_of(*spec)) : each;
    }
};

}  // namespace mlp
