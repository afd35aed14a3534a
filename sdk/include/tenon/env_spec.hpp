// SPDX-License-Identifier: Apache-2.0
// The columns of an env, and the memory of one lane that a step works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tenon/column.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// As EnvSpec::reward: the env has no reward but those of its agents. Then the mean of the agents' rewards is what
// returns are sums of, and the reward that a step returns is not used.
inline Spec no_reward() {
    return {};
}

struct EnvSpec {
    std::vector<Spec> observations;
    std::vector<Spec> actions;
    Spec reward = unbounded("reward", {}, TN_F32, {});  // of the lane, returned by step; or no_reward()
    std::vector<Spec> extras = {};                      // written by reset and step like observations, read on request
    std::vector<Spec> rewards = {};  // further ones, such as those of a group's agents, written by step
    std::vector<Spec> ends = {};     // of a group's agents, "agents.terminated", written by step

    [[nodiscard]] bool has_reward() const { return !reward.key.empty(); }

    // All specs with their roles, in the order observations, actions, reward, extras, further rewards, ends.
    [[nodiscard]] std::vector<Spec> all() const {
        std::vector<Spec> specs;
        const auto add = [&](Spec spec, std::int32_t role) {
            spec.role = role;
            specs.push_back(std::move(spec));
        };
        for (const Spec& spec : observations) {
            add(spec, TN_ROLE_OBSERVATION);
        }
        for (const Spec& spec : actions) {
            add(spec, TN_ROLE_ACTION);
        }
        if (has_reward()) {
            add(reward, TN_ROLE_REWARD);
        }
        for (const Spec& spec : extras) {
            add(spec, TN_ROLE_EXTRA);
        }
        for (const Spec& spec : rewards) {
            add(spec, TN_ROLE_REWARD);
        }
        for (const Spec& spec : ends) {
            add(spec, TN_ROLE_END);
        }
        return specs;
    }
};

// The columns of an env, in the order of its EnvSpec.
struct EnvColumns {
    EnvColumns() = default;
    EnvColumns(const EnvSpec& spec, std::span<const tn_column* const> bound, std::uint32_t slots, std::uint32_t lanes) {
        const auto find = [&](const std::string& key, const Spec& like) {
            return Column::find(bound, key, like, slots, lanes);
        };
        for (const Spec& one : spec.observations) {
            observations.push_back(find(one.key, one));
            finals.push_back(find("next." + one.key, one));
        }
        for (const Spec& one : spec.actions) {
            actions.push_back(find(one.key, one));
        }
        for (const Spec& one : spec.extras) {
            extras.push_back(find(one.key, one));
        }
        for (const Spec& one : spec.rewards) {
            rewards.push_back(find(one.key, one));
        }
        for (const Spec& one : spec.ends) {
            ends.push_back(find(one.key, one));
        }
        const Spec flag = unbounded("flag", {}, TN_BOOL, {});
        if (spec.actions.size() == 1 && spec.actions[0].kind == TN_SPEC_CATEGORICAL) {
            choices = spec.actions[0].categories[0];
        }
        if (spec.has_reward()) {
            reward = find(spec.reward.key, spec.reward);
        }
        terminated = find("terminated", flag);
        truncated = find("truncated", flag);
    }

    // What step returns as the reward of the lane.
    void give_reward(std::uint32_t slot, std::uint32_t lane, double value) const {
        if (reward.dtype() == TN_F64) {
            reward.scalar<double>(slot, lane) = value;
        } else if (reward.elements() > 0) {
            reward.scalar<float>(slot, lane) = static_cast<float>(value);
        }
    }

    std::vector<Column> observations;
    std::vector<Column> finals;  // "next.<key>" of each observation
    std::vector<Column> actions;
    std::vector<Column> extras;
    std::vector<Column> rewards;  // further ones
    std::vector<Column> ends;
    Column reward;
    Column terminated;
    Column truncated;
    std::int64_t choices = 0;  // number of categories if the only action is categorical, else 0
};

// One lane's rows during reset or step, for envs with several observations or actions; numbered as in the EnvSpec.
class EnvRow {
public:
    EnvRow(const EnvColumns& columns, std::uint32_t lane, std::uint32_t slot, std::uint32_t next_slot)
        : columns_(&columns), lane_(lane), slot_(slot), next_slot_(next_slot) {}

    // Not available in reset, where there is no action yet.
    template <class E>
    [[nodiscard]] std::span<const E> action(std::size_t number = 0) const {
        return column_at(columns_->actions, number, "action").row<const E>(slot_, lane_);
    }
    template <class E>
    [[nodiscard]] std::span<E> observation(std::size_t number = 0) const {
        return column_at(columns_->observations, number, "observation").row<E>(next_slot_, lane_);
    }
    template <class E>
    [[nodiscard]] std::span<E> extra(std::size_t number = 0) const {
        return column_at(columns_->extras, number, "extra").row<E>(next_slot_, lane_);
    }
    // A further reward of the step. Not available in reset.
    template <class E>
    [[nodiscard]] std::span<E> reward(std::size_t number = 0) const {
        return column_at(columns_->rewards, number, "reward").row<E>(slot_, lane_);
    }
    // Which agents end with the step. Not available in reset.
    [[nodiscard]] std::span<bool> end(std::size_t number = 0) const {
        return column_at(columns_->ends, number, "end").row<bool>(slot_, lane_);
    }

private:
    const EnvColumns* columns_;
    std::uint32_t lane_;
    std::uint32_t slot_;
    std::uint32_t next_slot_;
};

}  // namespace TENON_SDK
}  // namespace tenon
