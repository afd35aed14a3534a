// SPDX-License-Identifier: Apache-2.0
// A model that learns what a step does, as in PETS (Chua et al. 2018, arXiv 1805.12114): normal distributions of the
// change of the state and of the reward. With `count` above 1 the members of the ensemble differ where they have seen
// little, and a planner that goes on with each of them is careful there.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/graph_component.hpp"
#include "tenon/moments.hpp"
#include "tenon/nets.hpp"
#include "tenon/options.hpp"

namespace model {

using tenon::Graph;
using tenon::Moments;
using tenon::Value;

struct Ensemble {
    std::vector<std::string> in;
    std::vector<std::int64_t> hidden;
    std::string activation;
    bool draws = false;

    [[nodiscard]] Value step(const Graph& g, Value state, Value action) const {
        const Value change = told(g, state, action);
        return state + slice(change, 0, tenon::last_size(change) - 1);
    }
    [[nodiscard]] Value reward(const Graph& g, Value state, Value action) const {
        const Value change = told(g, state, action);
        return squeeze(slice(change, tenon::last_size(change) - 1, 1));
    }

    // Minus the log-likelihood of the batch's steps, without its constant; and the mean squared error, both in units of
    // the targets' standard deviation. Updates also update the running moments of inputs and targets.
    [[nodiscard]] std::array<Value, 2> error(const Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const Value state = observed(g, batch), action = row(batch["action"]);
        const Value change = concat(observed(g, next) - state, unsqueeze(next["reward"]));
        const Value seen = concat(state, action);
        const Moments of_seen = inputs(tenon::last_size(seen)), of_change = outputs(tenon::last_size(change));
        if (Graph::training()) {
            of_seen.add(g, seen);
            of_change.add(g, change);
        }
        const Told out = network(g, seen, tenon::last_size(change));
        const Value off = (change - of_change.mean(g)) / of_change.deviation(g) - out.mean;
        const Value likelihood = mean(square(off) * exp(-out.log_variance) + out.log_variance);
        return {0.5 * likelihood + 0.01 * out.room, mean(square(off))};
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Ensemble::in>("in", {"observation"}, "", "the state: columns, concatenated"),
                   tenon::option<&Ensemble::hidden>("hidden", {128, 128}, "[1,1000000]", "sizes of the hidden layers"),
                   tenon::option<&Ensemble::activation>("activation", "silu", tenon::kActivations,
                                                        "activation after each hidden layer"),
                   tenon::option<&Ensemble::draws>(
                       "draws", false, "", "whether a step is drawn from its distribution; otherwise it is the mean")};
    static constexpr auto functions = std::tuple{tenon::function<&Ensemble::step>("step", "state action", "state"),
                                                 tenon::function<&Ensemble::reward>("reward", "state action", "reward"),
                                                 tenon::function<&Ensemble::error>("error", "", "error squared")};

private:
    struct Told {
        Value mean;
        Value log_variance;
        Value room;  // between the bounds of the log-variances, which learn to be narrow
    };

    [[nodiscard]] Value told(const Graph& g, Value state, Value action) const {
        const std::int64_t wanted = tenon::last_size(observed(g, g.batch()));
        if (state.id != 0 && tenon::last_size(state) != wanted) {
            throw tenon::InvalidArgument("it learns steps of " + std::to_string(wanted) +
                                         " numbers, its 'in', but the state that it is given has " +
                                         std::to_string(tenon::last_size(state)) +
                                         "; let the planner and the model read the same columns");
        }
        const Value seen = concat(state, row(action));
        const Told out = network(g, seen, wanted + 1);
        const Moments of_change = outputs(wanted + 1);
        const Value noise =
            draws ? exp(0.5 * out.log_variance) * random_normal(out.mean, "step") : Value{tenon::In(0.0).id};
        return of_change.mean(g) + of_change.deviation(g) * (out.mean + noise);
    }

    [[nodiscard]] Told network(const Graph& g, Value seen, std::int64_t width) const {
        const Moments of_seen = inputs(tenon::last_size(seen));
        Value x = (seen - of_seen.mean(g)) / of_seen.deviation(g);
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            x = tenon::activate(activation, layer(g, i, x, hidden[i]));
        }
        const Value out = layer(g, hidden.size(), x, 2 * width), raw = slice(out, width, width);
        const Value most = g.parameter("most_log_variance", {width}, tenon::constant(0.5));
        const Value least = g.parameter("least_log_variance", {width}, tenon::constant(-8));
        const Value below = most - softplus(most - raw);
        return {slice(out, 0, width), least + softplus(below - least), sum(most - least)};
    }

    static Value layer(const Graph& g, std::size_t number, Value x, std::int64_t width) {
        return tenon::dense(g, std::to_string(number), x, width, tenon::default_init(tenon::last_size(x)));
    }

    static Moments inputs(std::int64_t width) { return {"inputs", width}; }
    static Moments outputs(std::int64_t width) { return {"outputs", width}; }

    [[nodiscard]] Value observed(const Graph& g, const tenon::Batch& batch) const {
        std::vector<Value> columns;
        for (const std::string& key : in) {
            if (const tn_spec* spec = g.spec(key.c_str(), true); spec != nullptr && spec->rank > 1) {
                throw tenon::InvalidArgument("column '" + key + "' has rows of " + std::to_string(spec->rank) +
                                             " dimensions, but it learns rows of one");
            }
            columns.push_back(batch[key.c_str()]);
        }
        return tenon::join(columns);
    }

    // An action of one number has no size.
    static Value row(Value action) { return tenon::sizes_of(action).empty() ? unsqueeze(action) : action; }
};

}  // namespace model
