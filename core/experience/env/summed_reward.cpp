// SPDX-License-Identifier: Apache-2.0
#include "experience/env/summed_reward.hpp"

#include <algorithm>

#include "base/data/key.hpp"

namespace tenon {

std::vector<std::string_view> groups_with_rewards(const Composite& specs) {
    std::vector<std::string_view> out = specs.groups();
    std::erase_if(out, [&](std::string_view group) {
        return std::ranges::none_of(
            specs.specs, [&](const Spec& spec) { return spec.role == Role::kReward && spec.group == group; });
    });
    return out.size() < 2 ? std::vector<std::string_view>() : out;
}

Status SummedReward::choose(const Spec& of, const Callee<tn_env_api>& env, std::optional<std::int64_t> agent) {
    if (!is_float(of.dtype) || (of.shape.elements() != 1 && of.shape.rank != 1)) {
        return env.problem("returns are sums of '" + of.key +
                           "', which must be one float a row, several in one dimension, or one for each agent of a "
                           "group, not " +
                           std::string(name_of(of.dtype)) + " " + to_string(of.shape));
    }
    key_ = of.key;
    group_ = of.group;
    agent_ = agent;
    return {};
}

void SummedReward::bind(const ColumnTable& columns, const Storage& storage) {
    reward_ = *columns.find(key_);
    // The storage keeps `present` as it was before a step. If transforms have removed it, its memory is one slot deep
    // and the step overwrites it; then all agents count.
    const StorageColumn* const present = storage.find(join_keys(group_, "present"));
    present_ = group_.empty() || present == nullptr ? View{} : present->view;
    if (agent_) {
        reward_ = reward_.index(2, *agent_);
        present_ = present_.data == nullptr ? View{} : present_.index(2, *agent_);
    }
}

}  // namespace tenon
