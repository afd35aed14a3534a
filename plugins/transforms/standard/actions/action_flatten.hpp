// SPDX-License-Identifier: Apache-2.0
// One action of one dimension in place of several actions, or of one with more dimensions: numbers one after the other,
// or choices as the parts of one action. The same as TorchRL's FlattenAction for one action.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct ActionFlatten {
    std::vector<std::string> columns;
    std::string to;
    std::vector<tenon::Port> parts;
    tenon::Port whole;

    static constexpr auto options = std::tuple{
        tenon::required<&ActionFlatten::columns>("columns", "", "the keys of the actions, in the order of their parts"),
        tenon::option<&ActionFlatten::to>("to", "action", "the key of the new action"),
    };

    void wire(tenon::TransformSpecs& specs) {
        if (columns.empty()) {
            throw tenon::InvalidArgument("option 'columns' is empty: it needs the keys of the actions");
        }
        parts.assign(columns.size(), {});
        tenon::Spec all = tenon::unbounded(to, {0}, specs.find(columns.front()).dtype);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            specs.read(parts[i], columns[i]);
            specs.remove(columns[i]);
            add(tenon::of_one_agent(parts[i].spec), parts.front().spec, all);
            if (parts[i].spec.group != parts.front().spec.group) {
                throw tenon::InvalidArgument("the actions '" + columns[0] + "' and '" + columns[i] +
                                             "' cannot be one: they are not of the same agents");
            }
        }
        specs.add(whole, tenon::for_each_agent(parts.front().spec, all), TN_ROLE_ACTION);
    }

    // A choice is a part with its number of categories; a number without bounds has infinite ones.
    static void add(const tenon::Spec& one, const tenon::Spec& first, tenon::Spec& all) {
        const bool is_single = one.kind == TN_SPEC_CATEGORICAL;
        const bool is_choice = is_single || one.kind == TN_SPEC_MULTI_CATEGORICAL;
        const bool is_number = one.kind == TN_SPEC_BOUNDED || one.kind == TN_SPEC_UNBOUNDED;
        if (one.role != TN_ROLE_ACTION || !(is_number || is_choice)) {
            throw tenon::InvalidArgument("column '" + one.key + "' is not an action of numbers or choices");
        }
        if (one.key != first.key && (one.dtype != first.dtype || first.categories.empty() == is_choice)) {
            throw tenon::InvalidArgument("the actions '" + first.key + "' and '" + one.key +
                                         "' cannot be one: both must be choices, or numbers of the same type");
        }
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        all.kind = is_choice ? TN_SPEC_MULTI_CATEGORICAL : TN_SPEC_BOUNDED;
        all.shape[0] += one.elements();
        for (std::size_t i = 0; i < static_cast<std::size_t>(one.elements()); ++i) {
            if (is_choice) {
                all.categories.push_back(one.categories[is_single ? 0 : i % one.categories.size()]);
                continue;
            }
            const std::size_t at = one.low.size() > 1 ? i : 0;
            all.low.push_back(one.low.empty() ? -kInfinity : one.low[at]);
            all.high.push_back(one.high.empty() ? kInfinity : one.high[at]);
        }
    }

    void act(const tenon::TransformRow& row) const {
        tenon::with_dtype(whole.spec.dtype, [&](auto zero) {
            auto from = row.row<const decltype(zero)>(whole);
            tenon::AgentPart one{.agents = tenon::agents_in(whole.spec)};
            for (; one.agent < one.agents; ++one.agent) {
                for (const tenon::Port& part : parts) {
                    const auto into = one.of(row.row<decltype(zero)>(part));
                    std::ranges::copy(from.first(into.size()), into.begin());
                    from = from.subspan(into.size());
                }
            }
        });
    }
};
