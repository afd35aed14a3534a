// SPDX-License-Identifier: Apache-2.0
// The reward that returns are sums of, for each lane, as the env gives it: transforms may change the column in place
// later.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/column_table.hpp"
#include "base/data/in_blocks.hpp"
#include "base/data/spec.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/env.h"

namespace tenon {

// The groups of agents of an env that have rewards of their own; none if there are fewer than two, as the returns of
// one group are those of the env.
std::vector<std::string_view> groups_with_rewards(const Composite& specs);

class SummedReward {
public:
    void resize(std::uint32_t lanes) { rewards_.assign(lanes, 0); }
    // A reward of this env, or of a group that of one agent.
    Status choose(const Spec& of, const Callee<tn_env_api>& env, std::optional<std::int64_t> agent = {});
    [[nodiscard]] const std::string& key() const { return key_; }

    // The columns are those of the env itself.
    void bind(const ColumnTable& columns, const Storage& storage);
    // Reads the rewards of a range of lanes; inline, because it is a noticeable part of a step of few lanes.
    void note(std::uint32_t slot, std::uint32_t first, std::uint32_t count) {
        if (reward_.dtype == DType::kF32) {
            copy(static_cast<const float*>(row_at(reward_, slot, first)), slot, first, count);
        } else {
            copy(static_cast<const double*>(row_at(reward_, slot, first)), slot, first, count);
        }
    }
    // [lane] The rewards of the latest step.
    [[nodiscard]] std::span<const double> latest() const { return rewards_; }

private:
    template <class Real>
    void copy(const Real* from, std::uint32_t slot, std::uint32_t first, std::uint32_t count) {
        double* const to = &rewards_[first];
        const std::int64_t stride = reward_.strides[1];
        if (const std::int64_t agents = reward_.shape.rank > 2 ? reward_.shape[2] : 1;
            agents > 1 || present_.data != nullptr) {
            for (std::uint32_t i = 0; i < count; ++i, from += stride) {
                to[i] = mean(from, agents, slot, first + i);
            }
            return;
        }
        if (stride == 1) {
            in_blocks(count, [&](std::size_t i) { to[i] = static_cast<double>(from[i]); });
            return;
        }
        for (std::uint32_t i = 0; i < count; ++i, from += stride) {
            to[i] = static_cast<double>(*from);
        }
    }

    // The mean over the agents who were present before the step; 0 if none was. The elements of a reward without agents
    // are added up.
    template <class Real>
    [[nodiscard]] double mean(const Real* of_agents, std::int64_t agents, std::uint32_t slot,
                              std::uint32_t lane) const {
        if (present_.data == nullptr) {
            const double sum = std::accumulate(of_agents, of_agents + agents, 0.0);
            return group_.empty() ? sum : sum / static_cast<double>(agents);
        }
        const auto* const is_present = static_cast<const std::uint8_t*>(row_at(present_, slot, lane));
        double total = 0;
        std::int64_t count = 0;
        for (std::int64_t agent = 0; agent < agents; ++agent) {
            total += is_present[agent] != 0 ? static_cast<double>(of_agents[agent]) : 0;
            count += is_present[agent] != 0 ? 1 : 0;
        }
        return count == 0 ? 0 : total / static_cast<double>(count);
    }

    std::string key_;
    std::string group_;  // of agents with one of these rewards each, whose mean counts; empty: one for all
    View reward_;
    std::optional<std::int64_t> agent_;  // the only one of the group that counts
    View present_;                       // which agents a reward of a group is of; without data: all of them
    std::vector<double> rewards_;
};

}  // namespace tenon
