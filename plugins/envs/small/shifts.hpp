// SPDX-License-Identifier: Apache-2.0
// Agents that come and go: each one that is present sees a sign and gets 1 for the action of that number, else 0. The
// first agent always stays. Every other one leaves in some steps, by the end of its life or for a pause, and comes back
// later. With `recall` the sign that counts is that of the step before, which an agent must remember. With `mask` one
// wrong action of each agent is forbidden, and all of those who are absent. `reward` is the mean over those who are
// present, so the best return is the number of steps.
#pragma once

#include <algorithm>
#include <array>

#include "agents_actions.hpp"
#include "tenon/env.hpp"

struct Shifts {
    static constexpr std::size_t kAgents = 4;
    static constexpr std::int64_t kSigns = 3;

    double leave = 0.2;
    double end = 0.5;
    double comeback = 0.3;
    double left_behind = 0;
    bool recall = false;
    bool masked = false;
    std::int64_t max_episode_steps = 25;
    std::array<std::int64_t, kAgents> signs{};
    std::array<std::int64_t, kAgents> wanted{};
    std::array<bool, kAgents> present{};
    std::array<std::int64_t, kAgents> forbidden{};

    static constexpr auto options = std::tuple{
        tenon::option<&Shifts::leave>("leave", 0.2, "[0,1]", "probability that an agent leaves with a step"),
        tenon::option<&Shifts::end>("end", 0.5, "[0,1]", "share of those that leave whose life ends"),
        tenon::option<&Shifts::comeback>("comeback", 0.3, "[0,1]", "probability that an absent agent comes back"),
        tenon::option<&Shifts::left_behind>("left_behind", 0.0, "", "what stands in the rows of absent agents"),
        tenon::option<&Shifts::recall>("recall", false, "",
                                       "whether an agent gets 1 for the sign of the step before; when it comes, for "
                                       "the one that it sees"),
        tenon::option<&Shifts::masked>("mask", false, "", "whether `agents.action_mask` forbids one wrong action"),
        tenon::option<&Shifts::max_episode_steps>("max_episode_steps", 25, "[1,inf)", "time limit")};

    [[nodiscard]] tenon::EnvSpec spec() const {
        tenon::EnvSpec out{
            .observations = {tenon::of_group("agents", kAgents, tenon::unbounded("observation", {kSigns})),
                             tenon::of_group("agents", kAgents, tenon::binary("present", {}))},
            .actions = {tenon::of_group("agents", kAgents, tenon::categorical("action", kSigns))},
            .rewards = {tenon::of_group("agents", kAgents, tenon::unbounded("reward"))},
            .ends = {tenon::of_group("agents", kAgents, tenon::binary("terminated", {}))}};
        if (masked) {
            out.observations.push_back(tenon::of_group("agents", kAgents, tenon::binary("action_mask", {kSigns})));
        }
        return out;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        present.fill(true);
        show(rng, row, present);
        wanted = signs;
        forbid(rng, row);
    }

    tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::span<const std::int64_t> actions = row.action<std::int64_t>();
        const std::span<float> rewards = row.reward<float>();
        const std::span<bool> ends = row.end();
        const std::array<bool, kAgents> worked = present;
        double total = 0;
        for (std::size_t i = 0; i < kAgents; ++i) {
            if (masked && worked[i] && actions[i] == forbidden[i]) {
                throw tenon::InvalidArgument("an agent took the action that its mask forbids");
            }
            rewards[i] = worked[i] ? (agent_action(actions[i], kSigns) == wanted[i] ? 1.0F : 0.0F) : behind();
            total += worked[i] ? static_cast<double>(rewards[i]) : 0;
            const bool changes = i > 0 && rng.chance(worked[i] ? leave : comeback);
            present[i] = worked[i] != changes;
            ends[i] = worked[i] && changes && rng.chance(end);
        }
        const std::array<std::int64_t, kAgents> seen = signs;
        show(rng, row, worked);
        for (std::size_t i = 0; i < kAgents; ++i) {
            wanted[i] = recall && worked[i] && present[i] ? seen[i] : signs[i];
        }
        forbid(rng, row);
        return {.reward = total / static_cast<double>(std::ranges::count(worked, true))};
    }

    // Those who have just left still see a last sign.
    void show(tenon::Rng& rng, const tenon::EnvRow& row, const std::array<bool, kAgents>& worked) {
        const std::span<float> seen = row.observation<float>(0);
        std::ranges::copy(present, row.observation<bool>(1).begin());
        for (std::size_t i = 0; i < kAgents; ++i) {
            signs[i] = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(kSigns)));
            for (std::size_t k = 0; k < seen.size() / kAgents; ++k) {
                const float sign = k == static_cast<std::size_t>(signs[i]) ? 1.0F : 0.0F;
                seen[i * (seen.size() / kAgents) + k] = present[i] || worked[i] ? sign : behind();
            }
        }
    }

    void forbid(tenon::Rng& rng, const tenon::EnvRow& row) {
        if (!masked) {
            return;
        }
        const std::span<bool> allowed = row.observation<bool>(2);
        for (std::size_t i = 0; i < kAgents; ++i) {
            const std::uint64_t further = 1 + rng.below(static_cast<std::uint64_t>(kSigns - 1));
            forbidden[i] = (wanted[i] + static_cast<std::int64_t>(further)) % kSigns;
            for (std::int64_t k = 0; k < kSigns; ++k) {
                allowed[i * kSigns + static_cast<std::size_t>(k)] = present[i] && k != forbidden[i];
            }
        }
    }

    [[nodiscard]] float behind() const { return static_cast<float>(left_behind); }

    void state(tenon::Archive& archive) { archive(signs, wanted, present, forbidden); }
};
