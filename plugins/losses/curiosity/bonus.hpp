// SPDX-License-Identifier: Apache-2.0
// The common part of the curious networks: the columns that they read, their layers, and a reward that is the env's
// plus a bonus for what they predict badly.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/graph_component.hpp"
#include "tenon/moments.hpp"
#include "tenon/nets.hpp"
#include "tenon/options.hpp"
#include "tenon/row_columns.hpp"

namespace curiosity {

using tenon::Graph;
using tenon::Moments;
using tenon::Value;

struct Bonus {
    std::vector<std::string> in;
    std::vector<std::int64_t> hidden;
    std::string activation;
    std::int64_t size = 64;
    bool normalise_observation = true;
    double observation_clip = 5;
    bool normalise_bonus = true;
    double bonus_clip = 5;

    static constexpr auto options = std::tuple{
        tenon::option<&Bonus::in>("in", {"observation"}, "", "the columns it reads, concatenated"),
        tenon::option<&Bonus::hidden>("hidden", {64}, "[1,1000000]", "sizes of the hidden layers of each network"),
        tenon::option<&Bonus::activation>("activation", "relu", tenon::kActivations,
                                          "activation after each hidden layer"),
        tenon::option<&Bonus::size>("size", 64, "[1,1000000]", "number of features"),
        tenon::option<&Bonus::normalise_observation>("normalise_observation", true, "",
                                                     "whether what it reads is normalised by running moments"),
        tenon::option<&Bonus::observation_clip>("observation_clip", 5.0, "(0,inf)",
                                                "bound of what is normalised, in standard deviations"),
        tenon::option<&Bonus::normalise_bonus>(
            "normalise_bonus", true, "", "whether the bonus is divided by the running standard deviation of errors"),
        tenon::option<&Bonus::bonus_clip>("bonus_clip", 5.0, "(0,inf)", "bound of a normalised bonus"),
        tenon::live("weight", 1.0, "[0,inf)", "weight of the bonus in the reward"),
        tenon::live("env_weight", 1.0, "[0,inf)", "weight of the env's reward in the reward")};

protected:
    // The env's reward plus the bonus for an error.
    [[nodiscard]] Value reward_of(const Graph& g, Value error) const {
        return g.option("env_weight") * g.batch()["stored.next.reward"] + g.option("weight") * bonus_of(g, error);
    }

    [[nodiscard]] Value bonus_of(const Graph& g, Value error) const {
        return normalise_bonus ? min(error / error_moments().deviation(g), bonus_clip) : error;
    }

    // In updates the moments move on; each reader of this update uses those of its start.
    [[nodiscard]] Value noted(const Graph& g, Value error) const {
        if (Graph::training() && normalise_bonus) {
            error_moments().add(g, error);
        }
        return error;
    }

    // The columns of a batch. The moments are those of what steps have led to.
    [[nodiscard]] Value seen(const Graph& g, const tenon::Batch& batch, bool notes) const {
        const Value x =
            tenon::join(tenon::row_columns(g, batch, in, "; let it read the features of a trunk with freeze = true"));
        if (!normalise_observation) {
            return x;
        }
        const Moments moments{"observation", tenon::last_size(x)};
        if (notes && Graph::training()) {
            moments.add(g, x);
        }
        return clamp((x - moments.mean(g)) / moments.deviation(g), -observation_clip, observation_clip);
    }

    // A perceptron whose layers are NAME.0, NAME.1, ..; with `fixed`, its random weights never change.
    [[nodiscard]] Value network(const Graph& g, const std::string& name, Value x, std::int64_t width,
                                bool fixed = false) const {
        for (std::size_t i = 0; i <= hidden.size(); ++i) {
            const bool last = i == hidden.size();
            const std::int64_t inputs = tenon::last_size(x), outputs = last ? width : hidden[i];
            const std::string layer = name + "." + std::to_string(i);
            const std::string weight = layer + ".weight", bias = layer + ".bias";
            const tenon::DenseInit init = tenon::orthogonal_init(last ? 1.0 : std::sqrt(2.0));
            x = fixed ? linear(x, g.state(weight.c_str(), {outputs, inputs}, init.weight),
                               g.state(bias.c_str(), {outputs}, init.bias))
                      : tenon::dense(g, layer, x, outputs, init);
            x = last ? x : tenon::activate(activation, x);
        }
        return x;
    }

private:
    [[nodiscard]] static Moments error_moments() { return {"error"}; }
};

}  // namespace curiosity
