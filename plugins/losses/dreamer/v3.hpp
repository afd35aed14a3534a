// SPDX-License-Identifier: Apache-2.0
// The third Dreamer (Hafner et al. 2023, arXiv 2301.04104): a model of the world learns from sequences; actor and
// critic learn from what the model imagines to follow each of their states. The actor learns by the likelihood of its
// actions, so nothing is differentiated through the model. All stages read the parameters as of the start of the
// update.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "percentiles.hpp"
#include "tenon/objective.hpp"
#include "tenon/region.hpp"

namespace dreamer {

using tenon::Graph;

constexpr const char* kFeatures = "world.features";  // what actor and critic read
constexpr const char* kHorizon = "horizon";

struct V3 {
    std::int64_t horizon = 15;
    double free_nats = 1.0;

    void update(const Graph& g) const {
        const Value features = learn_world(g);

        g.stage("actor", {.owns = {"actor"}});
        const Dream dream = imagined(g, stop_gradient(features));
        const auto actor = g.network("actor")(g.batch()).with(kFeatures, dream.features);
        const Value scale = scale_of(g, dream.returns);
        const Value advantage = stop_gradient((dream.returns - dream.values) / unsqueeze(scale));
        const Value entropy = mean(dream.weights * collect(actor.entropy(), kHorizon));
        const Value log_prob = collect(actor.log_prob(dream.actions), kHorizon);
        g.rows("actor.gain", -mean(dream.weights * advantage * log_prob));
        g.rows("actor.entropy", -(g.option("entropy_coefficient") * entropy));

        g.stage("critic", {.owns = {"value"}});
        const Value error = value_error(g, dream.features, uncollect(dream.returns, dream.features, kHorizon));
        g.rows("critic.value", mean(dream.weights * collect(error, kHorizon)));

        const Value replayed = replay_error(g, features, slice(dream.returns, 0, 1));
        g.rows("critic.replay", g.option("replay_coefficient") * replayed);
        g.rows("world.replay", g.option("replay_coefficient") * replayed);

        g.metric("imagined_return", batch_mean(mean(dream.returns)));
        g.metric("imagined_value", batch_mean(mean(dream.values)));
        g.metric("return_scale", scale);
        g.metric("entropy", batch_mean(entropy));
    }

    static constexpr auto options = std::tuple{
        tenon::option<&V3::horizon>("horizon", 15, "[2,1000]", "how many steps it imagines"),
        tenon::option<&V3::free_nats>("free_nats", 1.0, "[0,inf)",
                                      "divergence between posterior and prior that costs nothing"),
        tenon::live("gamma", 0.997, "[0,1]", "discount of the next value"),
        tenon::live("lambda", 0.95, "(0,1]", "weight of longer returns"),
        tenon::live("observation_coefficient", 1.0, "[0,inf)", "weight of the error of what is decoded"),
        tenon::live("dynamics_coefficient", 1.0, "[0,inf)", "weight of the divergence that moves the prior"),
        tenon::live("representation_coefficient", 0.1, "[0,inf)", "weight of that which moves the posterior"),
        tenon::live("entropy_coefficient", 3e-4, "[0,inf)", "weight of the actor's entropy"),
        tenon::live("slow_coefficient", 1.0, "[0,inf)", "weight of the distance to the values of the target network"),
        tenon::live("replay_coefficient", 0.3, "[0,inf)", "weight of the values' error on the batch's own states"),
        tenon::live("return_rate", 0.01, "[0,1]", "how fast the percentiles of returns follow those of an update")};

private:
    // What is imagined, [.., horizon], except for features and actions, [horizon, ..]. None of it has a gradient.
    struct Dream {
        Value features;  // before each step
        Value actions;
        Value values = {};   // before each step
        Value returns = {};  // from each step on
        Value weights = {};  // the discounted probability that the episode lasts until then
    };

    // Adds the losses of the model, and returns the features of the batch's states. The reward and the end are
    // predicted from the state that the action leads to. It may be the last of its episode, so it is the state of the
    // next row only if the episode goes on.
    [[nodiscard]] Value learn_world(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto world = g.network("world")(batch);
        g.stage("world", {.owns = {"world"}});
        const auto [features, prior, posterior, memory] = world.call<4>("step", {batch["action"]});
        const Value arrived = g.network("world")(next).call<1>("arrived", {memory})[0];

        const Value observed = world.call<1>("observed", {})[0];
        g.rows("world.observation",
               g.option("observation_coefficient") * sum(square(world.call<1>("decoded", {features})[0] - observed)));
        g.rows("world.reward", world.call<1>("reward_error", {arrived, next["reward"]})[0]);
        const Value goes_on = world.call<1>("continues", {arrived})[0];
        g.rows("world.continues", softplus(goes_on) - goes_on * (1 - next["terminated"]));

        const Value to_prior = divergence(stop_gradient(posterior), prior);
        const Value to_posterior = divergence(posterior, stop_gradient(prior));
        g.rows("world.dynamics", g.option("dynamics_coefficient") * max(to_prior, free_nats));
        g.rows("world.representation", g.option("representation_coefficient") * max(to_posterior, free_nats));
        g.metric("divergence", batch_mean(to_prior));
        const Value reward = world.call<1>("reward", {arrived})[0];
        g.metric("reward_error", batch_mean(abs(reward - next["reward"])));
        return features;
    }

    // From the logarithms of probabilities, [.., latents, classes], summed over latents.
    static Value divergence(Value of, Value to) { return sum(sum(exp(of) * (of - to))); }

    [[nodiscard]] Dream imagined(const Graph& g, Value start) const {
        const auto world = g.network("world")(g.batch());
        const auto actor = g.network("actor")(g.batch());
        const std::vector<Value> out =
            scan(tenon::Steps{kHorizon, horizon}, {start}, {}, [&](std::span<const Value> in) {
                const Value action = actor.with(kFeatures, in[0]).sample().action;
                return std::vector<Value>{world.call<1>("imagine", {in[0], action})[0], in[0], action};
            });
        Dream dream{.features = stop_gradient(out[1]), .actions = stop_gradient(out[2])};
        const Value after = stop_gradient(out[0]), last = pick(after, horizon - 1, kHorizon);
        const auto at_all = [&](const auto& of) {  // of the states before each step, and of the last one
            return concat(collect(of(dream.features), kHorizon), unsqueeze(of(last)));
        };
        const Value goes_on = at_all([&](Value x) { return sigmoid(world.call<1>("continues", {x})[0]); });
        const Value values = at_all([&](Value x) { return value_of(g, g.network("value"), x); });
        const Value rewards = collect(world.call<1>("reward", {after})[0], kHorizon);

        dream.values = stop_gradient(slice(values, 0, horizon));
        dream.returns = stop_gradient(
            returns_of(g, rewards, slice(goes_on, 1, horizon), slice(values, 1, horizon), dream.features));
        dream.weights = stop_gradient(weights_of(g, slice(goes_on, 0, horizon), dream.features));
        return dream;
    }

    // The lambda-returns of what follows each step.
    [[nodiscard]] Value returns_of(const Graph& g, Value rewards, Value goes_on, Value values, Value like) const {
        const auto by_step = [&](Value x) { return uncollect(x, like, kHorizon); };
        const Value lambda = g.option("lambda"), last = squeeze(slice(values, horizon - 1, 1));
        const Value discounts = by_step(g.option("gamma") * goes_on);
        const std::vector<Value> out =
            scan(tenon::Steps{kHorizon, horizon, true}, {last}, {by_step(rewards), discounts, by_step(values)},
                 [&](std::span<const Value> in) {
                     return std::vector<Value>{in[1] + in[2] * ((1 - lambda) * in[3] + lambda * in[0])};
                 });
        return collect(out[0], kHorizon);
    }

    // The first is the probability that the episode is not over where the dream begins.
    [[nodiscard]] Value weights_of(const Graph& g, Value goes_on, Value like) const {
        const Value first = 0 * squeeze(slice(goes_on, 0, 1)) + 1;
        const std::vector<Value> out = scan(tenon::Steps{kHorizon, horizon}, {first},
                                            {uncollect(goes_on, like, kHorizon)}, [&](std::span<const Value> in) {
                                                const Value weight = in[0] * in[1];
                                                return std::vector<Value>{g.option("gamma") * weight, weight};
                                            });
        return collect(out[1], kHorizon);
    }

    static Value value_of(const Graph& g, const tenon::Network& critic, Value features) {
        return critic(g.batch()).with(kFeatures, features).value();
    }

    // The cross-entropy of the values with returns and, weighted, with the values of the target network.
    static Value value_error(const Graph& g, Value features, Value returns) {
        const auto critic = g.network("value")(g.batch()).with(kFeatures, features);
        const Value slow = stop_gradient(value_of(g, g.network("value").target(), features));
        return critic.call<1>("error", {returns})[0] +
               g.option("slow_coefficient") * critic.call<1>("error", {slow})[0];
    }

    // The critic's error on the batch's own states. Their returns consist of the batch's rewards and of `bootstrap`,
    // the values imagined from the states that follow. The last row, and rows at which a time limit ends an episode,
    // have no such state.
    [[nodiscard]] Value replay_error(const Graph& g, Value features, Value bootstrap) const {
        const auto next = g.batch().next();
        const Value imagined = squeeze(bootstrap), lambda = g.option("lambda");
        const Value left = scan_linear(1, 1 - 0 * next["done"], 1);  // rows to the end of the batch
        const Value is_cut = left < 2 || (next["truncated"] && !next["terminated"]);
        const Value discount = g.option("gamma") * (1 - next["terminated"]);
        // What the row before takes from this one, (1 - lambda) imagined + lambda return.
        const Value given = where(is_cut, imagined, (1 - lambda) * imagined + lambda * next["reward"]);
        const Value decay = where(is_cut || next["terminated"], 0.0, lambda * discount);
        const Value taken = scan_linear(decay, given, 1);
        const Value returns = (taken - (1 - lambda) * imagined) / lambda;
        const Value counts = where(is_cut, 0.0, 1.0);
        return counts * value_error(g, features, stop_gradient(returns));
    }

    // The distance of two percentiles of returns, which moves slowly, but at least 1.
    [[nodiscard]] Value scale_of(const Graph& g, Value returns) const {
        const std::vector<Value> now = quantiles(returns, {0.05, 0.95});
        const auto moved = [&](const char* name, Value to) {
            const Value before = g.state(name, {}, tenon::zeros());
            const Value after = before + g.option("return_rate") * (to - before);
            g.set(name, after);
            return after;
        };
        return max(moved("return_high", now[1]) - moved("return_low", now[0]), 1.0);
    }
};

}  // namespace dreamer
