// SPDX-License-Identifier: Apache-2.0
// Three adversaries chase a faster agent among two obstacles: simple_tag of the multi-agent particle environments, with
// the physics, observations and rewards of mpe2 1.1 with discrete actions. The groups have mpe2's names, `adversary`
// and `agent`. With `prey = "random"` chance moves the agent, and only adversaries act. `reward` is that of an
// adversary.
#pragma once

#include <string>

#include "particles.hpp"
#include "tenon/env.hpp"

struct Tag {
    static constexpr std::size_t kAdversaries = 3, kAll = 4, kObstacles = 2;
    static constexpr std::int64_t kSeen = 4 + 2 * kObstacles + 2 * (kAll - 1);  // adversaries see the agent's speed too
    using Point = particles::Point;

    std::string prey;
    std::int64_t max_episode_steps = 25;
    std::array<particles::Particle, kAll> bodies{};  // the agent is the last
    std::array<Point, kObstacles> obstacles{};

    static constexpr auto options = std::tuple{
        tenon::option<&Tag::prey>("prey", "random", "random|learnt", "who moves the agent: chance, or a policy"),
        tenon::option<&Tag::max_episode_steps>("max_episode_steps", 25, "[1,inf)", "time limit")};

    [[nodiscard]] tenon::EnvSpec spec() const {
        tenon::EnvSpec out;
        const auto add = [&](const char* group, std::int64_t count, std::int64_t seen) {
            out.observations.push_back(tenon::of_group(group, count, tenon::unbounded("observation", {seen})));
            out.actions.push_back(tenon::of_group(group, count, tenon::categorical("action", 5)));
            out.rewards.push_back(tenon::of_group(group, count, tenon::unbounded("reward")));
        };
        add("adversary", kAdversaries, kSeen + 2);
        if (prey == "learnt") {
            add("agent", 1, kSeen);
        }
        out.observations.push_back(tenon::unbounded("state", {kAdversaries * (kSeen + 2) + kSeen}));
        return out;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        for (particles::Particle& body : bodies) {
            body = {.place = particles::anywhere(rng)};
        }
        for (Point& obstacle : obstacles) {
            obstacle = particles::anywhere(rng, 0.9);
        }
        show(row);
    }

    tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::span<const std::int64_t> chasing = agents_actions(row, 5);
        const std::int64_t fleeing = prey == "learnt" ? agent_action(row.action<std::int64_t>(1)[0], 5)
                                                      : static_cast<std::int64_t>(rng.below(5));
        move({chasing[0], chasing[1], chasing[2], fleeing});
        show(row);
        const std::array<double, 2> rewards = reward_adversary_and_agent();
        std::ranges::fill(row.reward<float>(0), static_cast<float>(rewards[0]));
        if (prey == "learnt") {
            row.reward<float>(1)[0] = static_cast<float>(rewards[1]);
        }
        return {.reward = rewards[0]};
    }

    void move(const std::array<std::int64_t, kAll>& actions) {
        std::array<Point, kAll> forces{};
        for (std::size_t i = 0; i < kAll; ++i) {
            forces[i] = particles::force_of(actions[i], i < kAdversaries ? 3 : 4);
        }
        for (std::size_t i = 0; i < kAll; ++i) {
            for (std::size_t k = i + 1; k < kAll; ++k) {
                const Point force = particles::push(bodies[i].place, bodies[k].place, radius(i) + radius(k));
                particles::add(forces[i], force);
                particles::add(forces[k], force, -1);
            }
            for (const Point& obstacle : obstacles) {
                particles::add(forces[i], particles::push(bodies[i].place, obstacle, radius(i) + 0.2));
            }
        }
        for (std::size_t i = 0; i < kAll; ++i) {
            particles::move(bodies[i], forces[i], i < kAdversaries ? 1.0 : 1.3);
        }
    }

    // Each touch gives all adversaries 10 and takes 10 from the agent, which also loses by leaving the square.
    [[nodiscard]] std::array<double, 2> reward_adversary_and_agent() const {
        const Point& agent = bodies[kAdversaries].place;
        double touches = 0, beyond = 0;
        for (std::size_t i = 0; i < kAdversaries; ++i) {
            touches += particles::distance(bodies[i].place, agent) < radius(i) + radius(kAdversaries) ? 1 : 0;
        }
        for (const double at : agent) {
            const double x = std::abs(at);
            beyond += x < 0.9 ? 0 : x < 1 ? (x - 0.9) * 10 : std::min(std::exp(2 * x - 2), 10.0);
        }
        return {10 * touches, -10 * touches - beyond};
    }

    void show(const tenon::EnvRow& row) const {
        const bool both = prey == "learnt";
        const std::span<float> state = row.observation<float>(both ? 2 : 1);
        see(state);
        const std::size_t of_adversaries = row.observation<float>(0).size();
        std::ranges::copy(state.first(of_adversaries), row.observation<float>(0).begin());
        if (both) {
            std::ranges::copy(state.subspan(of_adversaries), row.observation<float>(1).begin());
        }
    }

    // What all see, one after the other.
    void see(std::span<float> seen) const {
        particles::Eye eye(seen);
        for (std::size_t i = 0; i < kAll; ++i) {
            eye.put(bodies[i].speed);
            eye.put(bodies[i].place);
            for (const Point& obstacle : obstacles) {
                eye.put(obstacle, bodies[i].place);
            }
            for (std::size_t k = 0; k < kAll; ++k) {
                if (k != i) {
                    eye.put(bodies[k].place, bodies[i].place);
                }
            }
            if (i < kAdversaries) {
                eye.put(bodies[kAdversaries].speed);
            }
        }
    }

    void state(tenon::Archive& archive) { archive(bodies, obstacles); }

private:
    static double radius(std::size_t i) { return i < kAdversaries ? 0.075 : 0.05; }
};
