// SPDX-License-Identifier: Apache-2.0
#include "agents.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tenon/guard.hpp"
#include "tenon/spec.hpp"

namespace bridge {

void make_group(tenon::EnvSpec& spec, const std::string& group) {
    const auto rewards = std::ranges::find(spec.extras, kRewards, &tenon::Spec::key);
    if (rewards == spec.extras.end() || rewards->shape.size() != 1) {
        throw tenon::InvalidArgument(
            "with group, the info 'rewards' is an array with a number for each agent, and infos has \"rewards\"");
    }
    const std::int64_t agents = rewards->shape[0];
    for (tenon::Spec& action : spec.actions) {
        const std::int64_t size = action.elements() / agents;
        const bool is_rows = action.kind == TN_SPEC_MULTI_CATEGORICAL && size * agents == action.elements();
        const auto of_one = is_rows ? action.categories.begin() + size : action.categories.begin();
        if (!is_rows || !std::equal(action.categories.begin(), action.categories.end() - size, of_one)) {
            throw tenon::InvalidArgument("with group, '" + action.key +
                                         "' is MultiDiscrete with a row for each of the " + std::to_string(agents) +
                                         " agents that the info 'rewards' counts, all alike");
        }
        tenon::Spec one = action;
        one.shape = {size};
        one.categories.resize(static_cast<std::size_t>(size));
        action = tenon::of_group(group, agents, std::move(one));
    }
    spec.rewards = {tenon::of_group(group, agents, tenon::unbounded("reward"))};
}

}  // namespace bridge
