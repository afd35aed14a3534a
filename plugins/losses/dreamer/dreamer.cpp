// SPDX-License-Identifier: Apache-2.0
// Dreamer (Hafner et al. 2020, arXiv 1912.01603): a model of the world learns from sequences; the actor and the critic
// learn from what the model imagines to follow each of their states. The balance of the divergence, the weights by the
// probability that the imagined episode goes on, and the entropy of the actor are those of Hafner et al. 2021 (arXiv
// 2010.02193). All stages read the parameters as of the start of the update.
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/heads/suited.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/region.hpp"
#include "v3.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

constexpr const char* kFeatures = "world.features";  // what actor and critic read
constexpr const char* kHorizon = "horizon";

// The divergence of two normal distributions, summed over the last size.
Value divergence(Value mean, Value deviation, Value from_mean, Value from_deviation) {
    return sum(log(from_deviation / deviation) +
               (square(deviation) + square(mean - from_mean)) / (2 * square(from_deviation)) - 0.5);
}

// What is imagined from a state: [horizon, rows].
struct Dream {
    Value features;   // before each step
    Value following;  // after each step
    Value rewards;
    Value discounts;
    Value log_probs;
};

struct Dreamer {
    std::int64_t horizon = 12;
    double free_nats = 1.0;
    double balance = 0.8;

    void update(const Graph& g) const {
        check_action(g);
        const Value states = stop_gradient(learn_world(g));

        g.stage("actor", {.owns = {"actor"}});
        const Dream dream = imagined(g, states);
        const Value values = value_of(g, g.network("value").target(), dream.following);
        const Value returns = returns_of(g, dream, values);
        const Value weights = stop_gradient(weights_of(dream));
        g.rows("actor.gain", -over_horizon(weights * returns));
        g.rows("actor.entropy", g.option("entropy_coefficient") * over_horizon(weights * dream.log_probs));

        g.stage("critic", {.owns = {"value"}});
        const Value guesses = value_of(g, g.network("value"), stop_gradient(dream.features));
        g.rows("critic.value", 0.5 * over_horizon(weights * square(guesses - stop_gradient(returns))));

        g.metric("imagined_return", batch_mean(over_horizon(returns)));
        g.metric("imagined_value", batch_mean(over_horizon(guesses)));
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Dreamer::horizon>("horizon", 12, "[1,1000]", "how many steps it imagines"),
        tenon::option<&Dreamer::free_nats>("free_nats", 1.0, "[0,inf)",
                                           "divergence of the posterior from the prior that costs nothing"),
        tenon::option<&Dreamer::balance>("balance", 0.8, "[0,1]",
                                         "how much of the divergence moves the prior; the rest moves the posterior"),
        tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
        tenon::live("lambda", 0.95, "[0,1]", "weight of longer returns"),
        tenon::live("divergence_coefficient", 1.0, "[0,inf)", "weight of the divergence"),
        tenon::live("entropy_coefficient", 1e-3, "[0,inf)", "weight of the actor's entropy")};

private:
    // The actor learns by the gradient of what it imagines, through its actions.
    static void check_action(const Graph& g) {
        const tn_spec* const action = g.spec("action");
        if (action != nullptr && action->kind != TN_SPEC_BOUNDED && action->kind != TN_SPEC_UNBOUNDED) {
            throw tenon::InvalidArgument(std::string("its actor learns through actions of real numbers; this is ") +
                                         tenon::suited(*action).kind);
        }
    }

    // Adds the losses of the model, and returns the features of the batch's states.
    [[nodiscard]] Value learn_world(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto world = g.network("world")(batch);
        const Value action = batch["action"];

        g.stage("world", {.owns = {"world"}});
        const auto [features, prior_mean, prior_deviation, mean, deviation] = world.call<5>("step", {action});
        const Value observed = world.call<1>("observed", {})[0];
        g.rows("world.observation", 0.5 * sum(square(world.call<1>("decoded", {features})[0] - observed)));
        const Value reward = world.call<1>("reward", {features, action})[0];
        g.rows("world.reward", 0.5 * square(reward - next["reward"]));
        const Value goes_on = world.call<1>("continues", {features, action})[0];
        g.rows("world.continues", softplus(goes_on) - goes_on * (1 - next["terminated"]));
        const Value to_prior = divergence(stop_gradient(mean), stop_gradient(deviation), prior_mean, prior_deviation);
        const Value to_posterior =
            divergence(mean, deviation, stop_gradient(prior_mean), stop_gradient(prior_deviation));
        g.rows("world.divergence", g.option("divergence_coefficient") * (balance * max(to_prior, free_nats) +
                                                                         (1 - balance) * max(to_posterior, free_nats)));
        g.metric("divergence", batch_mean(to_prior));
        g.metric("reward_error", batch_mean(abs(reward - next["reward"])));
        return features;
    }

    [[nodiscard]] Dream imagined(const Graph& g, Value states) const {
        const auto world = g.network("world")(g.batch());
        const auto actor = g.network("actor")(g.batch());
        const std::vector<Value> out =
            scan(tenon::Steps{kHorizon, horizon}, {states}, {}, [&](std::span<const Value> in) {
                const Value now = in[0];
                const tenon::Draw drawn = actor.with(kFeatures, now).sample();
                const Value next = world.call<1>("imagine", {now, drawn.action})[0];
                const Value reward = world.call<1>("reward", {now, drawn.action})[0];
                const Value goes_on = sigmoid(world.call<1>("continues", {now, drawn.action})[0]);
                return std::vector<Value>{next, now, reward, g.option("gamma") * goes_on, drawn.log_prob};
            });
        return {.features = out[1], .following = out[0], .rewards = out[2], .discounts = out[3], .log_probs = out[4]};
    }

    static Value value_of(const Graph& g, const tenon::Network& critic, Value features) {
        return critic(g.batch()).with(kFeatures, features).value();
    }

    // The lambda-return of each imagined state.
    [[nodiscard]] Value returns_of(const Graph& g, const Dream& dream, Value values) const {
        const Value lambda = g.option("lambda");
        const Value last = pick(values, horizon - 1, kHorizon);
        return scan(tenon::Steps{kHorizon, horizon, true}, {last}, {dream.rewards, dream.discounts, values},
                    [&](std::span<const Value> in) {
                        return std::vector<Value>{in[1] + in[2] * ((1 - lambda) * in[3] + lambda * in[0])};
                    })[0];
    }

    // The discounts up to each step.
    [[nodiscard]] Value weights_of(const Dream& dream) const {
        const Value first = 0 * pick(dream.discounts, 0, kHorizon) + 1;
        return scan(tenon::Steps{kHorizon, horizon}, {first}, {dream.discounts},
                    [](std::span<const Value> in) { return std::vector<Value>{in[0] * in[1], in[0]}; })[1];
    }

    static Value over_horizon(Value x) { return mean(collect(x, kHorizon)); }
};

}  // namespace

TENON_PLUGIN("dreamer", "0.1.0", tenon::objective<Dreamer>("dreamer", "actor and critic learn from imagined futures"),
             tenon::objective<dreamer::V3>("v3", "the third Dreamer, for actions of any kind"));
