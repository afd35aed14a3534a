// SPDX-License-Identifier: Apache-2.0
// The conditional variational autoencoder of ACT (Zhao et al. 2023, arXiv 2304.13705), with dense layers. The encoder
// gives a normal distribution of latent numbers for a chunk, and the decoder predicts the chunk from the observation
// and these numbers. They stand for what an observation leaves open, such as the side on which to pass.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "playback.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/options.hpp"

namespace chunks {

struct Cvae : Playback {
    std::vector<std::int64_t> hidden;
    std::string activation;
    std::int64_t latent_size = 4;
    std::string latent;
    double latent_scale = 1;
    std::vector<std::string> in;

    // The chunk as the decoder gives it back, and the divergence of the encoder's distribution from the standard normal
    // one.
    [[nodiscard]] std::array<Value, 2> reconstruct(const Graph& g, Value given) const {
        const tn_spec* const action = predicted_action(g);
        if (action == nullptr) {
            return {};
        }
        const std::int64_t width = action->shape[0];
        const Value seen = observed(g, in);
        const Value flat = row_of(given, chunk, width);
        if (latent_size == 0) {
            return {decoded(g, *action, {seen}), Value{tenon::In(0.0).id}};
        }
        const Value out = layers(g, "encoder", tenon::join({seen, flat}), hidden, activation, 2 * latent_size);
        const Value mean = slice(out, 0, latent_size);
        const Value log_variance = slice(out, latent_size, latent_size);
        const Value drawn = mean + exp(0.5 * log_variance) * random_normal(mean, "latent");
        return {decoded(g, *action, {seen, drawn}), 0.5 * sum(square(mean) + exp(log_variance) - log_variance - 1)};
    }

    [[nodiscard]] Value sample(const Graph& g) const { return act_by(g, true); }
    // With latent numbers of 0, as ACT acts.
    [[nodiscard]] Value mode(const Graph& g) const { return act_by(g, false); }

    static constexpr auto options = std::tuple{
        tenon::option<&Cvae::chunk>("chunk", 8, "[1,10000]", "actions in a chunk"),
        tenon::option<&Cvae::play>("play", "ensemble", "ensemble|plan",
                                   "the action of a step: the weighted mean of what all chunks predict for it, or the "
                                   "next one of a chunk that is played before another is predicted"),
        tenon::option<&Cvae::played>("played", 0, "[0,10000]", "actions of a chunk that a plan plays; 0: all"),
        tenon::option<&Cvae::decay>(
            "ensemble_decay", 0.01, "[0,inf)",
            "how much less the weight of a newer prediction is in an ensemble: exp(-decay) times "
            "that of the one before; 0: the same"),
        tenon::option<&Cvae::latent_size>("latent_size", 4, "[0,10000]",
                                          "latent numbers; 0: none, so that it clones chunks without a choice"),
        tenon::option<&Cvae::latent>("latent", "episode", "episode|step",
                                     "when latent numbers are drawn: where an episode begins, or in every step"),
        tenon::option<&Cvae::latent_scale>(
            "latent_scale", 1.0, "[0,inf)",
            "standard deviation of the latent numbers that it draws; above 1 fewer of them are between two choices"),
        tenon::option<&Cvae::hidden>("hidden", {256, 256}, "[1,1000000]",
                                     "sizes of the hidden layers of encoder and decoder"),
        tenon::option<&Cvae::activation>("activation", "relu", tenon::kActivations,
                                         "activation after each hidden layer"),
        tenon::option<&Cvae::in>("in", {"observation"}, "", "the columns it reads, concatenated")};
    static constexpr auto functions = std::tuple{
        tenon::function<&Cvae::sample>("sample", "", "action"), tenon::function<&Cvae::mode>("mode", "", "action"),
        tenon::function<&Cvae::reconstruct>("reconstruct", "chunk", "chunk divergence")};

private:
    [[nodiscard]] Value act_by(const Graph& g, bool draws) const {
        const tn_spec* const action = predicted_action(g);
        if (action == nullptr) {
            return {};
        }
        const Value seen = observed(g, in);
        if (latent_size == 0) {
            return act(g, decoded(g, *action, {seen}), action->shape[0]);
        }
        return act(g, decoded(g, *action, {seen, draws ? drawn(g) : zeros(seen)}), action->shape[0]);
    }

    // The latent numbers of the lane's episode, or of the step. The memory begins with a flag that says whether they
    // have been drawn.
    [[nodiscard]] Value drawn(const Graph& g) const {
        const Value memory = g.memory("latent", {1 + latent_size});
        const Value begun = slice(memory, 0, 1), before = slice(memory, 1, latent_size);
        const Value fresh = latent_scale * random_normal(before, "latent");
        const Value now = latent == "episode" ? where(begun > 0.5, before, fresh) : fresh;
        g.remember("latent", concat(0 * begun + 1, now));
        return now;
    }

    [[nodiscard]] Value zeros(Value seen) const { return 0 * slice(seen, 0, 1) + 0 * tenon::count_up(latent_size); }

    [[nodiscard]] Value decoded(const Graph& g, const tn_spec& action, const std::vector<Value>& from) const {
        const std::int64_t width = action.shape[0];
        const Value out =
            reshape(layers(g, "decoder", tenon::join(from), hidden, activation, chunk * width), {chunk, width});
        return tenon::has_finite_bounds(action) ? bounds_of_chunk(action).squash(out) : out;
    }
};

}  // namespace chunks
