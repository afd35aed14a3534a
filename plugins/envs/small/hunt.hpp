// SPDX-License-Identifier: Apache-2.0
// Three predators hunt two prey on a square. A prey that is caught dies, and comes back elsewhere after a while;
// predators rest now and then. Predators and prey are two groups with opposite aims, `predators` and `prey`; the column
// `present` of each group is false for absent agents. With `prey = "scripted"` or `"random"` the env moves the prey,
// and only the predators act. `reward` is the number of prey caught in the step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "agents_actions.hpp"
#include "tenon/env.hpp"

struct Hunt {
    static constexpr std::size_t kPredators = 3, kPrey = 2, kAll = kPredators + kPrey;
    // An agent sees its own place and, for each agent, the place relative to its own and whether that agent is present.
    // The place is zero for itself and for absent agents.
    static constexpr std::int64_t kSeen = 2 + 3 * kAll;
    using Point = std::array<double, 2>;

    std::string prey, moves;
    double rest = 0.02;
    std::int64_t max_episode_steps = 50;
    std::array<Point, kAll> places{};
    std::array<bool, kAll> present{};

    static constexpr auto options = std::tuple{
        tenon::option<&Hunt::prey>("prey", "scripted", "scripted|random|learnt",
                                   "who moves the prey: a script that flees, chance, or a policy of the group prey"),
        tenon::option<&Hunt::moves>("moves", "discrete", "discrete|continuous", "what an action is"),
        tenon::option<&Hunt::rest>("rest", 0.02, "[0,1]", "probability that a predator begins to rest"),
        tenon::option<&Hunt::max_episode_steps>("max_episode_steps", 50, "[1,inf)", "time limit")};

    // The agents first .. first + count - 1 are a group.
    struct Group {
        const char* name;
        std::size_t first, count;
    };
    static constexpr std::array<Group, 2> kGroups = {{{"predators", 0, kPredators}, {"prey", kPredators, kPrey}}};

    // Those that act.
    [[nodiscard]] std::span<const Group> groups() const { return std::span(kGroups).first(prey == "learnt" ? 2 : 1); }

    [[nodiscard]] tenon::EnvSpec spec() const {
        const tenon::Spec action =
            moves == "discrete" ? tenon::categorical("action", 5) : tenon::bounded("action", {2}, -1, 1);
        tenon::EnvSpec out;
        for (const auto& [name, first, size] : groups()) {
            const auto count = static_cast<std::int64_t>(size);
            out.observations.push_back(tenon::of_group(name, count, tenon::unbounded("observation", {kSeen})));
            out.observations.push_back(tenon::of_group(name, count, tenon::binary("present", {})));
            out.actions.push_back(tenon::of_group(name, count, action));
            out.rewards.push_back(tenon::of_group(name, count, tenon::unbounded("reward")));
            out.ends.push_back(tenon::of_group(name, count, tenon::binary("terminated", {})));
        }
        out.observations.push_back(tenon::unbounded("state", {3 * kAll}));
        return out;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        for (Point& place : places) {
            place = anywhere(rng);
        }
        present.fill(true);
        show(row);
    }

    tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::array<bool, kAll> acted = present;
        for (std::size_t i = 0; i < kAll; ++i) {
            const Point wish = acted[i] ? wish_of(rng, row, i) : Point{};
            for (std::size_t axis = 0; axis < 2; ++axis) {
                places[i][axis] = std::clamp(places[i][axis] + (i < kPredators ? 0.1 : 0.12) * wish[axis], -1.0, 1.0);
            }
        }
        std::array<double, kAll> rewards{};
        std::array<bool, kAll> dies{};
        catch_prey(rewards, dies);
        for (std::size_t i = 0; i < kAll; ++i) {
            const bool leaves = i < kPredators ? rng.chance(rest) : dies[i];
            present[i] = acted[i] ? !leaves : rng.chance(i < kPredators ? 0.25 : 0.1);
            if (!acted[i] && present[i]) {
                places[i] = anywhere(rng);
            }
        }
        for (std::size_t n = 0; n < groups().size(); ++n) {
            const auto& [name, first, count] = kGroups[n];
            std::ranges::copy_n(dies.begin() + static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(count),
                                row.end(n).begin());
            for (std::size_t k = 0; k < count; ++k) {
                row.reward<float>(n)[k] = acted[first + k] ? static_cast<float>(rewards[first + k]) : 0.0F;
            }
        }
        show(row);
        return {.reward = static_cast<double>(std::ranges::count(dies, true))};
    }

    void state(tenon::Archive& archive) { archive(places, present); }

private:
    static Point anywhere(tenon::Rng& rng) { return {rng.uniform(-1, 1), rng.uniform(-1, 1)}; }

    // Where the agent wants to go, in [-1,1].
    Point wish_of(tenon::Rng& rng, const tenon::EnvRow& row, std::size_t i) const {
        const std::size_t n = i < kPredators ? 0 : 1;
        if (n == groups().size()) {
            return prey == "random" ? anywhere(rng) : flee(i);
        }
        const std::size_t k = i - kGroups[n].first;
        if (moves == "continuous") {
            const std::span<const float> action = row.action<float>(n).subspan(2 * k, 2);
            return {action[0], action[1]};
        }
        constexpr std::array<Point, 5> kWays = {{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
        return kWays[static_cast<std::size_t>(agent_action(row.action<std::int64_t>(n)[k], kWays.size()))];
    }

    // Away from the predators that are present, above all from the nearest ones, at 7/10 of the speed of a prey.
    [[nodiscard]] Point flee(std::size_t me) const {
        Point sum{};
        for (std::size_t i = 0; i < kPredators; ++i) {
            const double apart = std::max(distance(i, me), 0.05);
            for (std::size_t axis = 0; axis < 2 && present[i]; ++axis) {
                sum[axis] += (places[me][axis] - places[i][axis]) / (apart * apart * apart);
            }
        }
        const double norm = std::max(std::hypot(sum[0], sum[1]), 1e-6);
        return {sum[0] / norm * 0.7, sum[1] / norm * 0.7};
    }

    // A predator gets 1 for each prey within its reach, which dies, and loses up to 0.05 by its distance to the nearest
    // one. A prey gets 0.05 for each step that it survives, and -1 when it dies.
    void catch_prey(std::array<double, kAll>& rewards, std::array<bool, kAll>& dies) const {
        for (std::size_t i = 0; i < kPredators; ++i) {
            double nearest = 0.5;
            for (std::size_t j = kPredators; j < kAll; ++j) {
                if (present[i] && present[j]) {
                    const double apart = distance(i, j);
                    nearest = std::min(nearest, apart);
                    rewards[i] += apart < 0.2 ? 1 : 0;
                    dies[j] = dies[j] || apart < 0.2;
                }
            }
            rewards[i] -= 0.1 * nearest;
        }
        for (std::size_t j = kPredators; j < kAll; ++j) {
            rewards[j] = dies[j] ? -1 : 0.05;
        }
    }

    [[nodiscard]] double distance(std::size_t i, std::size_t j) const {
        return std::hypot(places[i][0] - places[j][0], places[i][1] - places[j][1]);
    }

    void show(const tenon::EnvRow& row) const {
        for (std::size_t n = 0; n < groups().size(); ++n) {
            const auto& [name, first, count] = kGroups[n];
            for (std::size_t k = 0; k < count; ++k) {
                row.observation<bool>(2 * n + 1)[k] = present[first + k];
                const Point& me = places[first + k];
                float* out = row.observation<float>(2 * n).subspan(k * kSeen, kSeen).data();
                *out++ = static_cast<float>(me[0]);
                *out++ = static_cast<float>(me[1]);
                show_all(out, me, true);
            }
        }
        show_all(row.observation<float>(2 * groups().size()).data(), {}, false);
    }

    void show_all(float* out, const Point& from, bool hides) const {
        for (std::size_t i = 0; i < kAll; ++i) {
            const bool shows = present[i] || !hides;
            *out++ = shows ? static_cast<float>(places[i][0] - from[0]) : 0.0F;
            *out++ = shows ? static_cast<float>(places[i][1] - from[1]) : 0.0F;
            *out++ = present[i] ? 1.0F : 0.0F;
        }
    }
};
