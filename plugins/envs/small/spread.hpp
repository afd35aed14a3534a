// SPDX-License-Identifier: Apache-2.0
// Agents that spread over as many landmarks without touching each other: simple_spread of the multi-agent particle
// environments (Lowe et al. 2017), with the physics, observations and rewards of mpe2 1.1 with discrete actions. The
// reward of an agent is the mean of the team's (minus the distances from each landmark to its nearest agent) and its
// own (-1 for each agent that it touches); `reward` is the mean over agents.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "agents_actions.hpp"
#include "tenon/env.hpp"

struct Spread {
    static constexpr std::size_t kAgents = 3;
    using Point = std::array<double, 2>;

    double local_ratio = 0.5;
    std::int64_t max_episode_steps = 25;
    std::array<Point, kAgents> places{}, speeds{}, landmarks{};

    static constexpr auto options = std::tuple{
        tenon::option<&Spread::local_ratio>("local_ratio", 0.5, "[0,1]", "weight of an agent's own part of its reward"),
        tenon::option<&Spread::max_episode_steps>("max_episode_steps", 25, "[1,inf)", "time limit")};

    // What an agent sees: its velocity and position; the landmarks and the other agents as seen from it; two zeros for
    // each other agent, which says nothing.
    static constexpr std::int64_t kSeen = 4 + 2 * kAgents + 4 * (kAgents - 1);

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::of_group("agents", kAgents, tenon::unbounded("observation", {kSeen})),
                                 tenon::unbounded("state", {kSeen * kAgents})},
                .actions = {tenon::of_group("agents", kAgents, tenon::categorical("action", 5))},
                .rewards = {tenon::of_group("agents", kAgents, tenon::unbounded("reward"))}};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        for (auto* points : {&places, &landmarks}) {
            for (Point& point : *points) {
                point = {rng.uniform(-1, 1), rng.uniform(-1, 1)};
            }
        }
        speeds = {};
        show(row);
    }

    tenon::StepResult step(const tenon::EnvRow& row) {
        move(agents_actions(row, 5));
        show(row);
        return {.reward = give_rewards(row.reward<float>())};
    }

    // The state is what all agents see, one after the other.
    void show(const tenon::EnvRow& row) const {
        see(row.observation<float>(0));
        see(row.observation<float>(1));
    }

    void state(tenon::Archive& archive) { archive(places, speeds, landmarks); }

    void move(std::span<const std::int64_t> actions) {
        std::array<Point, kAgents> forces{};
        for (std::size_t i = 0; i < kAgents; ++i) {  // 0 nothing, 1 left, 2 right, 3 down, 4 up
            constexpr double kSensitivity = 5;
            const std::int64_t action = actions[i];
            forces[i][action > 2 ? 1 : 0] = action == 0 ? 0 : action % 2 == 0 ? kSensitivity : -kSensitivity;
        }
        push_apart(forces);
        constexpr double kStep = 0.1, kDamping = 0.25;
        for (std::size_t i = 0; i < kAgents; ++i) {
            for (std::size_t axis = 0; axis < 2; ++axis) {
                places[i][axis] += speeds[i][axis] * kStep;
                speeds[i][axis] = speeds[i][axis] * (1 - kDamping) + forces[i][axis] * kStep;
            }
        }
    }

    void push_apart(std::array<Point, kAgents>& forces) const {
        constexpr double kForce = 100, kMargin = 1e-3;
        for (std::size_t i = 0; i < kAgents; ++i) {
            for (std::size_t k = i + 1; k < kAgents; ++k) {
                const double apart = distance(places[i], places[k]);
                const double depth = (kTouch - apart) / kMargin;
                const double penetration = (std::max(depth, 0.0) + std::log1p(std::exp(-std::abs(depth)))) * kMargin;
                for (std::size_t axis = 0; axis < 2 && apart > 0; ++axis) {
                    const double force = kForce * (places[i][axis] - places[k][axis]) / apart * penetration;
                    forces[i][axis] += force;
                    forces[k][axis] -= force;
                }
            }
        }
    }

    // Returns the mean over agents.
    double give_rewards(std::span<float> rewards) const {
        double team = 0;
        for (const Point& landmark : landmarks) {
            double nearest = distance(landmark, places[0]);
            for (const Point& place : places) {
                nearest = std::min(nearest, distance(landmark, place));
            }
            team -= nearest;
        }
        double total = 0;
        for (std::size_t i = 0; i < kAgents; ++i) {
            double own = 0;
            for (std::size_t k = 0; k < kAgents; ++k) {
                own -= i != k && distance(places[i], places[k]) < kTouch ? 1 : 0;
            }
            const double reward = team * (1 - local_ratio) + own * local_ratio;
            rewards[i] = static_cast<float>(reward);
            total += reward;
        }
        return total / kAgents;
    }

    void see(std::span<float> seen) const {
        std::ranges::fill(seen, 0.0F);
        for (std::size_t i = 0; i < kAgents; ++i) {
            float* out = seen.data() + i * kSeen;
            const auto put = [&](const Point& point, const Point& from) {
                *out++ = static_cast<float>(point[0] - from[0]);
                *out++ = static_cast<float>(point[1] - from[1]);
            };
            put(speeds[i], {});
            put(places[i], {});
            for (const Point& landmark : landmarks) {
                put(landmark, places[i]);
            }
            for (std::size_t k = 0; k < kAgents; ++k) {
                if (k != i) {
                    put(places[k], places[i]);
                }
            }
        }
    }

private:
    static constexpr double kTouch = 2 * 0.15;  // the agents' radius twice

    static double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }
};
