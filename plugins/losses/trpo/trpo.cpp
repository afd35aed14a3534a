// SPDX-License-Identifier: Apache-2.0
// Trust region policy optimisation (Schulman et al. 2015): once a batch, the actor takes one natural gradient step,
// whose divergence from the policy that acted is bounded. The value network learns from minibatches, as PPO's does.
#include "natural_step.hpp"
#include "tenon/actor_critic.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Trpo : tenon::ActorCritic {
    std::int64_t conjugate_steps = 15;
    std::int64_t search_steps = 10;

    void prepare(const tenon::Graph& g) const { prepare_advantage(g); }

    void update(const tenon::Graph& g) const { value_rows(g); }

    void conclude(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto network = g.network("actor");
        const tenon::Value better = advantage(g), acted = joint(batch["log_prob"]);
        static_cast<void>(network(batch).log_prob(batch["action"]));  // these two read the parameters that are to move
        static_cast<void>(network(batch).kl());
        const auto with = [&](const tenon::Value& parameters) { return network(batch).with("parameters", parameters); };
        const trpo::Of gain = [&](const tenon::Value& parameters) {
            return batch_mean(exp(with(parameters).log_prob(batch["action"]) - acted) * better);
        };
        const trpo::Of divergence = [&](const tenon::Value& parameters) { return batch_mean(with(parameters).kl()); };
        const tenon::Value parameters = network.parameters();
        const trpo::NaturalStep step = trpo::natural_step(gain, divergence, parameters,
                                                          {.divergence = g.option("target_kl"),
                                                           .damping = g.option("damping"),
                                                           .shrinking = g.option("shrinking"),
                                                           .solving = conjugate_steps,
                                                           .searching = search_steps});
        network.set_parameters(step.parameters);
        g.metric("gain", gain(step.parameters) - gain(parameters));
        g.metric("kl", divergence(step.parameters));
        g.metric("step", step.fraction);
    }

    static constexpr auto options = std::tuple_cat(
        Advantages::options, estimator_options("gae"),
        std::tuple{
            tenon::live("value_coefficient", 1.0, "[0,inf)", "weight of the value loss"),
            tenon::option<&ActorCritic::value_loss>("value_loss", "l2", tenon::kDistances,
                                                    "distance of a value from its target"),
            tenon::live("target_kl", 0.01, "(0,inf)", "largest mean divergence of a step from the policy that acted"),
            tenon::live("damping", 0.1, "[0,inf)", "what is added to the curvature in every direction"),
            tenon::live("shrinking", 0.8, "(0,1)", "factor by which the search shortens a step that does not fit"),
            tenon::option<&Trpo::conjugate_steps>("conjugate_steps", 15, "[1,1000]", "steps of conjugate gradients"),
            tenon::option<&Trpo::search_steps>("search_steps", 10, "[1,1000]",
                                               "lengths that are tried; if none fits, the actor stays")});
};

}  // namespace

TENON_PLUGIN("trpo", "0.1.0", tenon::objective<Trpo>("trpo", "trust region policy optimisation"));
