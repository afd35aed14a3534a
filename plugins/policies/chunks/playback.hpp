// SPDX-License-Identifier: Apache-2.0
// Acting by chunks. A chunk is predicted in every step, from which the policy takes one action.
//
// By temporal ensembling (Zhao et al. 2023, arXiv 2304.13705) it is the weighted mean of what all chunks that reach
// this step have predicted for it: the oldest has the weight 1, and each later one exp(-decay) times that of the one
// before. No chunk has to be kept for this: for each of the next steps the policy remembers the weighted sum of its
// predictions, the sum of their weights, and their number, which gives the weight of the next one.
//
// Otherwise it is the next action of a plan: a chunk whose first actions are played before a new one takes its place.
#pragma once

#include <cstdint>
#include <string>

#include "network.hpp"

namespace chunks {

struct Playback {
    std::int64_t chunk = 8;
    std::string play;
    std::int64_t played = 0;
    double decay = 0.01;

    // The action of this step, from the chunk [.., chunk, width] that is predicted in it.
    [[nodiscard]] Value act(const Graph& g, Value predicted, std::int64_t width) const {
        if (played > chunk) {
            throw tenon::InvalidArgument("'played' is " + std::to_string(played) + ", more than the " +
                                         std::to_string(chunk) + " actions of a chunk");
        }
        if (chunk == 1) {
            return first(predicted);
        }
        return play == "ensemble" ? ensembled(g, predicted, width) : planned(g, predicted, width);
    }

private:
    [[nodiscard]] Value ensembled(const Graph& g, Value predicted, std::int64_t width) const {
        const Value count = g.memory("predictions", {chunk});
        const Value weight = exp(-decay * count);
        const Value sums = g.memory("sums", {chunk, width}) + unsqueeze(weight) * predicted;
        const Value weights = g.memory("weights", {chunk}) + weight;
        g.remember("sums", tenon::concat({later(sums), 0 * slice(sums, 0, 1, -2)}, -2));
        g.remember("weights", concat(slice(weights, 1, chunk - 1), 0 * slice(weights, 0, 1)));
        g.remember("predictions", concat(slice(count, 1, chunk - 1) + 1, 0 * slice(count, 0, 1)));
        return first(sums) / slice(weights, 0, 1);
    }

    [[nodiscard]] Value planned(const Graph& g, Value predicted, std::int64_t width) const {
        const Value before = g.memory("left", {1});
        const Value ended = before < 0.5;
        const Value plan = where(unsqueeze(ended), predicted, g.memory("plan", {chunk, width}));
        const Value left = where(ended, static_cast<double>(played > 0 ? played : chunk), before);
        g.remember("plan", tenon::concat({later(plan), 0 * slice(plan, 0, 1, -2)}, -2));
        g.remember("left", left - 1);
        return first(plan);
    }

    static Value first(Value chunk) { return squeeze(slice(chunk, 0, 1, -2), -2); }
    [[nodiscard]] Value later(Value x) const { return slice(x, 1, chunk - 1, -2); }
};

}  // namespace chunks
