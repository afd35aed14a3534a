// SPDX-License-Identifier: Apache-2.0
// What the planners of this folder share. A plan is a row of actions, [action, horizon], in units of half of each
// action's range. Candidates are drawn around a mean plan, a model predicts the return of each, a new plan follows from
// these, and its first action is taken. The next step plans again, from the rest of this plan.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tenon/graph_component.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/heads/suited.hpp"
#include "tenon/members.hpp"
#include "tenon/options.hpp"
#include "tenon/region.hpp"
#include "tenon/sorting.hpp"

namespace plan {

using tenon::Graph;
using tenon::Value;

constexpr const char* kPlans = "plans";
constexpr const char* kHorizon = "horizon";

struct Planner {
    std::vector<std::string> in;
    std::string model, step, reward, continues;
    std::int64_t horizon = 15;
    std::int64_t candidates = 64;
    double gamma = 1;
    bool arrives = false, warm_start = false;

    static constexpr auto options = std::tuple{
        tenon::option<&Planner::in>("in", {"observation"}, "", "the state that it plans from: columns, concatenated"),
        tenon::option<&Planner::model>("model", "model", "", "role of the network that is the model"),
        tenon::option<&Planner::step>("step", "step", "", "function of the model: state action -> the next state"),
        tenon::option<&Planner::reward>("reward", "reward", "", "function of the model: state action -> the reward"),
        tenon::option<&Planner::continues>(
            "continues", "", "",
            "function of the model: state action -> the logit of the probability that the "
            "episode goes on; empty: it always does"),
        tenon::option<&Planner::arrives>("arrives", false, "",
                                         "rewards and ends are functions of the next state alone, as of world/rssm3"),
        tenon::option<&Planner::horizon>("horizon", 15, "[1,1000]", "how many steps it plans"),
        tenon::option<&Planner::candidates>("candidates", 64, "[2,100000]", "plans that are compared at a time"),
        tenon::option<&Planner::gamma>("gamma", 1.0, "[0,1]", "discount of the next reward")};

protected:
    struct Task {
        const tn_spec* action = nullptr;  // null if the env has none, which has been reported
        tenon::ActionBounds bounds{};
        Value state;
        std::int64_t width = 1;
    };

    [[nodiscard]] Task task(const Graph& g) const {
        Task out;
        out.action = g.spec("action");
        if (out.action == nullptr) {
            return {};
        }
        const tn_spec& action = *out.action;
        if (!tenon::has_finite_bounds(action) || action.rank > 1) {
            throw tenon::InvalidArgument(std::string("it plans rows of bounded numbers; this is ") +
                                         tenon::suited(action).kind +
                                         (action.rank > 1 ? " of several dimensions" : ""));
        }
        out.bounds = tenon::bounds_of(action);
        out.width = action.rank == 0 ? 1 : action.shape[0];
        std::vector<Value> columns;
        for (const std::string& key : in) {
            columns.push_back(g.batch()[key.c_str()]);
        }
        out.state = tenon::join(columns);
        return out;
    }

    // The plan to begin with, [.., action, horizon].
    [[nodiscard]] Value first_mean(const Graph& g, const Task& task) const {
        return warm_start && horizon > 1 ? g.memory("plan", {task.width, horizon})
                                         : tenon::full({task.width, horizon}, 0.0, task.state);
    }

    // The first action of a plan. The next step begins with the others, and a zero.
    [[nodiscard]] Value taken(const Graph& g, const Task& task, Value plan) const { return taken(g, task, plan, plan); }
    // The same, but the action is that of another plan.
    [[nodiscard]] Value taken(const Graph& g, const Task& task, Value plan, Value acted) const {
        if (warm_start && horizon > 1) {
            g.remember("plan", concat(slice(plan, 1, horizon - 1), 0 * slice(plan, 0, 1)));
        }
        const Value action = in_bounds(task, squeeze(slice(acted, 0, 1)));
        return task.action->rank == 0 ? squeeze(action) : action;
    }

    // The return of each candidate, [.., candidates]: the mean over the members of an ensemble, each of which continues
    // from its own states. beyond(state), if it is given, is the value of the state after the last step.
    struct Nothing {};
    template <class Beyond = Nothing>
    [[nodiscard]] Value returns(const Graph& g, const Task& task, Value plans, Beyond beyond = {}) const {
        // The first step gives the states the dimensions of the model, which a loop needs from its start.
        const Outcome first = outcome(g, task, spread(task.state, kPlans, candidates), squeeze(slice(plans, 0, 1)));
        Value sum = first.reward, last = first.next, lasts = first.goes_on;
        if (horizon > 1) {
            const std::int64_t left = horizon - 1;
            const Value rest = slice(plans, 1, left);
            const Value actions = uncollect(rest, spread(squeeze(slice(rest, 0, 1)), kHorizon, left), kHorizon);
            const std::vector<Value> out = scan(
                tenon::Steps{kHorizon, left}, {first.next, first.goes_on}, {actions}, [&](std::span<const Value> now) {
                    const Outcome then = outcome(g, task, now[0], now[2]);
                    return std::vector<Value>{then.next, now[1] * then.goes_on, now[1] * then.reward};
                });
            sum = sum + tenon::sum(collect(out[2], kHorizon) * discounts(left));
            if constexpr (!std::is_same_v<Beyond, Nothing>) {
                last = pick(out[0], left - 1, kHorizon);
                lasts = pick(out[1], left - 1, kHorizon);
            }
        }
        if constexpr (!std::is_same_v<Beyond, Nothing>) {
            sum = sum + std::pow(gamma, static_cast<double>(horizon)) * lasts * beyond(last);
        }
        return collect(mean_members(sum), kPlans);
    }

    // Draws around a plan, within the bounds.
    [[nodiscard]] Value drawn(Value mean, Value deviation) const {
        const Value around = spread(mean, kPlans, candidates);
        return clamp(around + deviation * random_normal(around, "noise"), -1.0, 1.0);
    }

    // The `count` best of plans by their scores [.., candidates]: [.., action, horizon, count], and their scores.
    struct Best {
        Value plans;
        Value scores;
    };
    [[nodiscard]] static Best best(Value plans, Value scores, std::int64_t count) {
        const tenon::Sorted top = tenon::top_k(scores, count);
        return {take_along(collect(plans, kPlans), unsqueeze(unsqueeze(top.indices, -2), -2)), top.values};
    }

private:
    struct Outcome {
        Value next;
        Value reward;
        Value goes_on;  // the probability
    };
    [[nodiscard]] Outcome outcome(const Graph& g, const Task& task, Value state, Value action) const {
        const auto now = g.network(model.c_str())(g.batch());
        const Value actual = in_bounds(task, action);
        const Value next = now.call<1>(step.c_str(), {state, actual})[0];
        const auto told = [&](const std::string& function) {
            return arrives ? now.call<1>(function.c_str(), {next})[0]
                           : now.call<1>(function.c_str(), {state, actual})[0];
        };
        Outcome out{next, told(reward), {}};
        out.goes_on = continues.empty() ? 0 * out.reward + 1.0 : sigmoid(told(continues));
        return out;
    }

    static Value in_bounds(const Task& task, Value action) {
        return clamp(task.bounds.low + (action + 1) * task.bounds.half(), task.bounds.low, task.bounds.high);
    }

    [[nodiscard]] Value discounts(std::int64_t count) const {
        std::vector<double> out;
        for (double now = gamma; std::ssize(out) < count; now *= gamma) {
            out.push_back(now);
        }
        return tenon::constants(out);
    }
};

}  // namespace plan
