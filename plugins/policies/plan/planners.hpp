// SPDX-License-Identifier: Apache-2.0
// The cross-entropy method (Botev et al. 2013), model predictive path integrals (Williams et al. 2015, arXiv
// 1509.01149) and random shooting. The first two draw candidates around a mean plan several times, and move the mean
// and the deviation to those of the best candidates: all alike, or weighted by their returns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "planner.hpp"

namespace plan {

// Draws plans around a mean, which the best of them move, again and again.
struct Iterated : Planner {
    std::int64_t iterations = 4;
    std::int64_t elites = 8;
    double deviation = 0.5;

    // refit(best) gives the mean and the deviation of the best plans: the last size is that of plans.
    template <class Refit>
    [[nodiscard]] Value act_by(const Graph& g, Refit refit) const {
        if (elites > candidates || elites < 2) {
            throw tenon::InvalidArgument("'elites' is " + std::to_string(elites) +
                                         ", but must be at least 2 and at "
                                         "most the number of 'candidates', " +
                                         std::to_string(candidates));
        }
        const Task todo = task(g);
        if (todo.action == nullptr) {
            return {};
        }
        const Value mean = first_mean(g, todo), spread_of_mean = 0 * mean + deviation;
        const std::vector<Value> out =
            scan(tenon::Steps{"iteration", iterations}, {mean, spread_of_mean}, {}, [&](std::span<const Value> now) {
                const Value plans = drawn(now[0], now[1]);
                return refit(best(plans, returns(g, todo, plans), elites));
            });
        return taken(g, todo, pick(out[0], iterations - 1, "iteration"));
    }

    static constexpr auto options = std::tuple_cat(
        Planner::options,
        std::tuple{tenon::option<&Iterated::iterations>("iterations", 4, "[1,1000]", "how often candidates are drawn"),
                   tenon::option<&Iterated::elites>("elites", 8, "[2,100000]", "how many of them are the best"),
                   tenon::option<&Iterated::deviation>(
                       "deviation", 0.5, "(0,inf)",
                       "standard deviation of the first candidates, in halves of the range between the bounds"),
                   tenon::option<&Iterated::warm_start>(
                       "warm_start", true, "", "begins with the rest of the plan of the step before, or with zeros")});
};

struct Cem : Iterated {
    [[nodiscard]] Value act(const Graph& g) const {
        return act_by(g, [&](const Best& elite) {
            const Value centre = mean(elite.plans);
            const Value squares = tenon::sum(square(elite.plans - unsqueeze(centre)));
            return std::vector<Value>{centre, sqrt(squares / static_cast<double>(elites - 1))};
        });
    }
    static constexpr auto functions = std::tuple{tenon::function<&Cem::act>("sample", "", "action"),
                                                 tenon::function<&Cem::act>("mode", "", "action")};
};

struct Mppi : Iterated {
    [[nodiscard]] Value act(const Graph& g) const {
        return act_by(g, [&](const Best& elite) {
            const Value weights = unsqueeze(unsqueeze(softmax(g.option("temperature") * elite.scores), -2), -2);
            const Value centre = tenon::sum(weights * elite.plans);
            return std::vector<Value>{centre, sqrt(tenon::sum(weights * square(elite.plans - unsqueeze(centre))))};
        });
    }
    static constexpr auto options = std::tuple_cat(
        Iterated::options, std::tuple{tenon::live("temperature", 1.0, "[0,inf)",
                                                  "the weight of a plan is the exponential of its return times this")});
    static constexpr auto functions = std::tuple{tenon::function<&Mppi::act>("sample", "", "action"),
                                                 tenon::function<&Mppi::act>("mode", "", "action")};
};

// The best of plans that are drawn uniformly.
struct Shooting : Planner {
    [[nodiscard]] Value act(const Graph& g) const {
        const Task todo = task(g);
        if (todo.action == nullptr) {
            return {};
        }
        const Value plans = 2 * random_uniform(spread(first_mean(g, todo), kPlans, candidates), "plans") - 1;
        return taken(g, todo, squeeze(best(plans, returns(g, todo, plans), 1).plans));
    }
    static constexpr auto functions = std::tuple{tenon::function<&Shooting::act>("sample", "", "action"),
                                                 tenon::function<&Shooting::act>("mode", "", "action")};
};

}  // namespace plan
