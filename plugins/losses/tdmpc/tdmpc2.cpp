// SPDX-License-Identifier: Apache-2.0
// TD-MPC2 (Hansen et al. 2024, arXiv 2310.16828): a model of latent states, values and a policy learn from short
// sequences, and a planner acts. The model is rolled out from the first state of a sequence by the actions that were
// taken. It learns to predict the states of the later observations, the rewards and the values; later steps count less.
// All stages read the parameters as of the start of the update.
#include <array>
#include <span>
#include <tuple>
#include <vector>

#include "tenon/members.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/region.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

constexpr const char* kState = "world.features";
constexpr double kNever = 1e30;  // replaces a critic that was not drawn

struct TdMpc2 {
    void update(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto world = g.network("world");
        const Value action = batch["action"];

        g.stage("model", {.owns = {"world", "qvalue"}});
        const Value first = at_time(world(batch).call<1>("features", {})[0], 0);
        const std::vector<Value> out = tenon::scan({first}, {action}, [&](std::span<const Value> in) {
            return std::vector<Value>{world(batch).call<1>("step", {in[0], in[1]})[0], in[0]};
        });
        const Value states = out[1], following = out[0];
        const Value observed = stop_gradient(world(next).call<1>("features", {})[0]);
        const Value weight = step_weight(g, next["reward"]);
        g.rows("model.consistency", g.option("consistency_coefficient") * weight * mean(square(following - observed)));
        g.rows("model.reward", g.option("reward_coefficient") * weight *
                                   world(batch).call<1>("reward_error", {states, action, next["reward"]})[0]);
        const Value target = stop_gradient(target_of(g, observed));
        const Value error = g.network("qvalue")(batch).with(kState, states).call<1>("error", {action, target})[0];
        g.rows("model.value", g.option("value_coefficient") * weight * mean_members(error));

        g.stage("actor", {.owns = {"actor"}});
        const Value given = stop_gradient(states);
        const auto drawn = g.network("actor")(batch).with(kState, given).sample();
        const Value values = g.network("qvalue")(batch).with(kState, given).q(drawn.action);
        const Value value = sum_members(where(chosen(values, "actor_pair"), values, 0.0)) / 2;
        const Value scale = scale_of(g, stop_gradient(at_time(value, 0)));
        g.rows("actor.gain", weight * (g.option("entropy_coefficient") * drawn.log_prob - value / scale));

        g.metric("value", batch_mean(value));
        g.metric("value_scale", scale);
        g.metric("entropy", -batch_mean(drawn.log_prob));
    }

    static constexpr auto options = std::tuple{
        tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
        tenon::live("rho", 0.5, "[0,1]", "weight of each step, as a share of the one before"),
        tenon::live("consistency_coefficient", 20.0, "[0,inf)", "weight of the distance of states"),
        tenon::live("reward_coefficient", 0.1, "[0,inf)", "weight of the error of rewards"),
        tenon::live("value_coefficient", 0.1, "[0,inf)", "weight of the error of values"),
        tenon::live("entropy_coefficient", 1e-4, "[0,inf)", "weight of the policy's entropy"),
        tenon::live("scale_rate", 0.01, "[0,1]", "how fast the percentiles of values follow those of an update")};

private:
    // 1, rho, its square and so on, along the sequence.
    static Value step_weight(const Graph& g, Value like) {
        const Value passed = scan_linear(1, 1 + 0 * like);
        return scan_linear(g.option("rho"), where(passed < 2, 1.0, 0.0));
    }

    // Two random members are true, the same ones for all rows.
    static Value chosen(Value values, const char* label) {
        return least_members(random_uniform(batch_mean(values), label), 2);
    }

    // The smaller of two random target values of the policy's next action.
    static Value target_of(const Graph& g, Value state) {
        const auto next = g.batch().next();
        const Value action = g.network("actor")(next).with(kState, state).sample().action;
        const Value all = g.network("qvalue").target()(next).with(kState, state).q(action);
        const Value least = min_members(where(chosen(all, "target_pair"), all, kNever));
        return next["reward"] + g.option("gamma") * (1 - next["terminated"]) * least;
    }

    // The distance of two percentiles of the values at the first states, which moves slowly, but at least 1.
    static Value scale_of(const Graph& g, Value first) {
        const Value now = batch_quantile(first, 0.95) - batch_quantile(first, 0.05);
        const Value before = g.state("value_scale", {}, tenon::constant(1));
        const Value after = before + g.option("scale_rate") * (max(now, 1.0) - before);
        g.set("value_scale", after);
        return after;
    }
};

}  // namespace

TENON_PLUGIN("tdmpc2", "0.1.0",
             tenon::objective<TdMpc2>("tdmpc2", "a latent model, values and a policy for a planner"));
