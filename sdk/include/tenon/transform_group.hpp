// SPDX-License-Identifier: Apache-2.0
// Columns of a group of agents in a transform. The host stores them with the agents as the first size; a transform that
// is written for one agent works on what is behind that size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tenon/guard.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The number of agents that a column has rows for: 1 without a group.
inline std::size_t agents_in(const Spec& spec) {
    return spec.group.empty() ? 1 : static_cast<std::size_t>(spec.shape.front());
}

// What one agent has of a column. Bounds that differ by agent become the loosest ones.
inline Spec of_one_agent(Spec spec) {
    if (spec.group.empty()) {
        return spec;
    }
    spec.group.clear();
    spec.shape.erase(spec.shape.begin());
    const auto size = static_cast<std::size_t>(spec.elements());
    for (std::size_t i = size; i < spec.low.size(); ++i) {
        spec.low[i % size] = std::min(spec.low[i % size], spec.low[i]);
        spec.high[i % size] = std::max(spec.high[i % size], spec.high[i]);
    }
    spec.low.resize(std::min(spec.low.size(), size));
    spec.high.resize(std::min(spec.high.size(), size));
    return spec;
}

// The column that has `one` for each agent of the group of `like`; `one` itself if that is of no group.
inline Spec for_each_agent(const Spec& like, Spec one) {
    if (like.group.empty()) {
        return one;
    }
    const std::string below = like.group + ".";
    if (!one.key.starts_with(below)) {
        throw InvalidArgument("'" + one.key + "' would be a column of the group '" + like.group +
                              "', so its key must begin with '" + below + "'");
    }
    one.key.erase(0, below.size());
    return of_group(like.group, like.shape.front(), std::move(one));
}

// The spec for all agents, if a transform changed the spec of one agent to `after`. Bounds that it did not change stay
// those of each agent.
inline Spec for_all_agents(const Spec& before, Spec after) {
    const Spec one = of_one_agent(before);
    const bool bounds_stay = after.shape == one.shape && after.low == one.low && after.high == one.high;
    Spec all = for_each_agent(before, std::move(after));
    if (bounds_stay) {
        all.low = before.low;
        all.high = before.high;
        return all;
    }
    for (std::size_t i = 0; before.role == TN_ROLE_ACTION && i < before.low.size(); ++i) {
        const std::size_t same = i % one.low.size();
        if (before.low[i] != one.low[same] || before.high[i] != one.high[same]) {
            throw InvalidArgument("the bounds of '" + before.key +
                                  "' differ by agent, and this transform needs the same ones for all agents");
        }
    }
    return all;
}

// Where one agent's elements are in a row that has those of all agents, contiguous by agent.
struct AgentPart {
    std::size_t agent = 0;
    std::size_t agents = 1;

    template <class E>
    [[nodiscard]] std::span<E> of(std::span<E> row) const {
        return agents == 1 ? row : row.subspan(agent * (row.size() / agents), row.size() / agents);
    }
};

}  // namespace TENON_SDK
}  // namespace tenon
