// SPDX-License-Identifier: Apache-2.0
// The recurrent state-space model of Hafner et al. 2019 (arXiv 1811.04551) for vectors. A state has two parts: a
// memory, which a GRU updates by each action, and a belief about the rest, which is a normal distribution before the
// observation is seen (the prior) and another one after it (the posterior). The features of a state are the memory and
// a draw of the belief.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "observed.hpp"
#include "tenon/cells.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/nets.hpp"
#include "tenon/options.hpp"

namespace world {

using tenon::Graph;
using tenon::Value;

struct Belief {
    Value mean;
    Value deviation;
};

struct Rssm {
    std::int64_t memory_size = 64;
    std::int64_t belief_size = 16;
    std::vector<std::int64_t> hidden;
    std::string activation;
    double least_deviation = 0.1;
    std::vector<std::string> in;
    std::vector<std::string> decodes;

    // Acting and evaluating believe in the mean of the posterior, updates in draws of it.
    [[nodiscard]] Value features(const Graph& g) const {
        const Value memory = remembered(g);
        const Belief posterior = posterior_of(g, memory);
        return concat(memory, Graph::training() ? drawn(posterior, "posterior") : posterior.mean);
    }

    // Makes the step of an action. Returns the features before it, and the prior and the posterior of their belief;
    // remembers the memory of the next state.
    [[nodiscard]] std::array<Value, 5> step(const Graph& g, Value action) const {
        const Value memory = remembered(g);
        const Belief posterior = posterior_of(g, memory);
        const Value belief = Graph::training() ? drawn(posterior, "posterior") : posterior.mean;
        const Belief prior = prior_of(g, memory);
        g.remember("memory", moved_on(g, memory, belief, action));
        return {concat(memory, belief), prior.mean, prior.deviation, posterior.mean, posterior.deviation};
    }

    // The features that may follow, by a draw of the prior.
    [[nodiscard]] Value imagine(const Graph& g, Value features, Value action) const {
        check_own(features, memory_size + belief_size);
        const Value memory =
            moved_on(g, slice(features, 0, memory_size), slice(features, memory_size, belief_size), action);
        return concat(memory, drawn(prior_of(g, memory), "prior"));
    }

    [[nodiscard]] Value reward(const Graph& g, Value features, Value action) const {
        return squeeze(network(g, "reward", concat(features, action), 1));
    }

    // The logit of the probability that the episode goes on.
    [[nodiscard]] Value continues(const Graph& g, Value features, Value action) const {
        return squeeze(network(g, "continues", concat(features, action), 1));
    }

    [[nodiscard]] Value decoded(const Graph& g, Value features) const {
        return network(g, "decoder", features, tenon::last_size(observed(g)));
    }

    // What the decoder decodes to.
    [[nodiscard]] Value observed(const Graph& g) const { return targets(g, in, decodes, as_it_is); }

    static constexpr auto options = std::tuple{
        tenon::option<&Rssm::memory_size>("memory_size", 64, "[1,1000000]", "size of what it remembers"),
        tenon::option<&Rssm::belief_size>("belief_size", 16, "[1,1000000]", "size of what it believes"),
        tenon::option<&Rssm::hidden>("hidden", {64}, "[1,1000000]", "sizes of the hidden layers of each network"),
        tenon::option<&Rssm::activation>("activation", "silu", tenon::kActivations,
                                         "activation after each hidden layer"),
        tenon::option<&Rssm::least_deviation>("least_deviation", 0.1, "(0,inf)",
                                              "smallest standard deviation of a belief"),
        tenon::option<&Rssm::in>("in", {"observation"}, "", "the columns it observes, concatenated"),
        tenon::option<&Rssm::decodes>(
            "decodes", {}, "", "the columns it decodes, concatenated, pixels divided by 255; if empty, those of `in`")};
    static constexpr auto functions =
        std::tuple{tenon::function<&Rssm::step>(
                       "step", "action", "features prior_mean prior_deviation posterior_mean posterior_deviation"),
                   tenon::function<&Rssm::features>("features", "", "features"),
                   tenon::function<&Rssm::imagine>("imagine", "features action", "features"),
                   tenon::function<&Rssm::reward>("reward", "features action", "reward"),
                   tenon::function<&Rssm::continues>("continues", "features action", "logit"),
                   tenon::function<&Rssm::decoded>("decoded", "features", "observation"),
                   tenon::function<&Rssm::observed>("observed", "", "observation")};

private:
    [[nodiscard]] Value seen(const Graph& g) const { return tenon::join(inputs(g, in, as_it_is)); }

    [[nodiscard]] Value remembered(const Graph& g) const { return g.memory("memory", {memory_size}); }

    [[nodiscard]] Value moved_on(const Graph& g, Value memory, Value belief, Value action) const {
        const Value x = layers(g, "mover", tenon::join({belief, action}));
        return tenon::gru_step(g, "gru", x, memory, memory_size);
    }

    [[nodiscard]] Belief posterior_of(const Graph& g, Value memory) const {
        return belief_of(g, "posterior", concat(memory, seen(g)));
    }
    [[nodiscard]] Belief prior_of(const Graph& g, Value memory) const { return belief_of(g, "prior", memory); }

    [[nodiscard]] Belief belief_of(const Graph& g, const std::string& name, Value x) const {
        const Value out = network(g, name, x, 2 * belief_size);
        return {slice(out, 0, belief_size), softplus(slice(out, belief_size, belief_size)) + least_deviation};
    }

    static Value drawn(const Belief& belief, const char* label) {
        return belief.mean + belief.deviation * random_normal(belief.mean, label);
    }

    [[nodiscard]] Value network(const Graph& g, const std::string& name, Value x, std::int64_t width) const {
        const Value last = layers(g, name, x);
        return tenon::dense(g, name + "." + std::to_string(hidden.size()), last, width,
                            tenon::default_init(tenon::last_size(last)));
    }

    [[nodiscard]] Value layers(const Graph& g, const std::string& name, Value x) const {
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            const tenon::DenseInit init = tenon::default_init(tenon::last_size(x));
            x = tenon::activate(activation, tenon::dense(g, name + "." + std::to_string(i), x, hidden[i], init));
        }
        return x;
    }
};

}  // namespace world
