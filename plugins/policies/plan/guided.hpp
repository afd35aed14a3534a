// SPDX-License-Identifier: Apache-2.0
// The planner of TD-MPC2 (Hansen et al. 2024, arXiv 2310.16828): path integrals in which some candidates are what a
// policy would do, and each return ends with the value of the state that a plan leads to, by an ensemble of critics.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "planner.hpp"

namespace plan {

struct Guided : Planner {
    std::int64_t iterations = 6;
    std::int64_t elites = 64;
    std::int64_t paths = 24;
    std::string policy, value;
    double least_deviation = 0.05;
    double deviation = 2;

    // Acting with exploration adds noise of the last deviation.
    [[nodiscard]] Value act(const Graph& g) const {
        check();
        const Task todo = task(g);
        if (todo.action == nullptr) {
            return {};
        }
        const Value mean = first_mean(g, todo), spread_of_mean = 0 * mean + deviation;
        const Value led = paths > 0 ? led_by_policy(g, todo) : Value{};
        const std::vector<Value> out =
            scan(tenon::Steps{"iteration", iterations}, {mean, spread_of_mean}, {}, [&](std::span<const Value> now) {
                Value plans = drawn(now[0], now[1]);
                if (paths > 0) {
                    const Value all = concat(led, slice(collect(plans, kPlans), paths, candidates - paths));
                    plans = uncollect(all, plans, kPlans);
                }
                const Value scores = returns(g, todo, plans, [&](Value state) { return beyond(g, state); });
                const Best elite = best(plans, scores, elites);
                const Value weights = unsqueeze(unsqueeze(softmax(g.option("temperature") * elite.scores), -2), -2);
                const Value centre = tenon::sum(weights * elite.plans);
                const Value squares = tenon::sum(weights * square(elite.plans - unsqueeze(centre)));
                return std::vector<Value>{centre, clamp(sqrt(squares), least_deviation, deviation)};
            });
        const Value plan = pick(out[0], iterations - 1, "iteration");
        if (!Graph::acting()) {
            return taken(g, todo, plan);
        }
        const Value noise = pick(out[1], iterations - 1, "iteration") * random_normal(plan, "exploration");
        return taken(g, todo, plan, clamp(plan + noise, -1.0, 1.0));
    }

    static constexpr auto options = std::tuple_cat(
        Planner::options,
        std::tuple{tenon::option<&Guided::iterations>("iterations", 6, "[1,1000]", "how often candidates are drawn"),
                   tenon::option<&Guided::elites>("elites", 64, "[2,100000]", "how many of them are the best"),
                   tenon::option<&Guided::paths>("paths", 24, "[0,100000]", "candidates that follow the policy"),
                   tenon::option<&Guided::policy>("policy", "actor", "", "role of the policy"),
                   tenon::option<&Guided::value>("value", "qvalue", "", "role of the critics: q of an action"),
                   tenon::option<&Guided::least_deviation>(
                       "least_deviation", 0.05, "(0,inf)",
                       "the smallest standard deviation of candidates, in halves of the range between the bounds"),
                   tenon::option<&Guided::deviation>("deviation", 2, "(0,inf)", "that of the first candidates"),
                   tenon::live("temperature", 0.5, "[0,inf)",
                               "the weight of a plan is the exponential of its return times this"),
                   tenon::option<&Guided::warm_start>(
                       "warm_start", true, "", "begins with the rest of the plan of the step before, or with zeros")});
    static constexpr auto functions = std::tuple{tenon::function<&Guided::act>("sample", "", "action"),
                                                 tenon::function<&Guided::act>("mode", "", "action")};

private:
    void check() const {
        if (in.size() != 1) {
            throw tenon::InvalidArgument("its policy and its critics read one column, so 'in' must be one");
        }
        if (elites > candidates || paths >= candidates) {
            throw tenon::InvalidArgument("'elites' is " + std::to_string(elites) + " and 'paths' " +
                                         std::to_string(paths) + ", of only " + std::to_string(candidates) +
                                         " candidates");
        }
    }

    // What the policy would do, [.., action, horizon, paths].
    [[nodiscard]] Value led_by_policy(const Graph& g, const Task& task) const {
        const auto model_here = g.network(model.c_str())(g.batch());
        const auto pi = g.network(policy.c_str())(g.batch());
        const std::vector<Value> out = scan(
            tenon::Steps{"led", horizon}, {spread(task.state, "paths", paths)}, {}, [&](std::span<const Value> now) {
                const Value action = pi.with(in.front().c_str(), now[0]).sample().action;
                const Value next = model_here.call<1>(step.c_str(), {now[0], action})[0];
                return std::vector<Value>{next, (tenon::join({action}) - task.bounds.low) / task.bounds.half() - 1};
            });
        return collect(collect(out[1], "led"), "paths");
    }

    [[nodiscard]] Value beyond(const Graph& g, Value state) const {
        const Value action = g.network(policy.c_str())(g.batch()).with(in.front().c_str(), state).sample().action;
        return mean_members(g.network(value.c_str())(g.batch()).with(in.front().c_str(), state).q(action));
    }
};

}  // namespace plan
