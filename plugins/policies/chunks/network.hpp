// SPDX-License-Identifier: Apache-2.0
// What the networks of this folder share: the columns they read, stacks of dense layers, and the action that they
// predict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/heads/action.hpp"
#include "tenon/heads/suited.hpp"
#include "tenon/nets.hpp"
#include "tenon/row_columns.hpp"

namespace chunks {

using tenon::Graph;
using tenon::Value;

// The columns, concatenated.
inline Value observed(const Graph& g, const std::vector<std::string>& in) {
    return tenon::join(tenon::row_columns(
        g, g.batch(), in, "; let it read a trunk such as cnn/nature, or use the transform standard/flatten"));
}

// Layers NAME.0, NAME.1, .. of these sizes, and a last one of `width`.
inline Value layers(const Graph& g, const std::string& name, Value x, const std::vector<std::int64_t>& hidden,
                    const std::string& activation, std::int64_t width) {
    const auto layer = [&](std::size_t number, std::int64_t size) {
        return tenon::dense(g, name + "." + std::to_string(number), x, size, tenon::default_init(tenon::last_size(x)));
    };
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        x = tenon::activate(activation, layer(i, hidden[i]));
    }
    return layer(hidden.size(), width);
}

// The action of the env, which must be a row of real numbers; null if the env has none, which has been reported.
inline const tn_spec* predicted_action(const Graph& g) {
    const tn_spec* const action = g.spec("action");
    if (action == nullptr) {
        return nullptr;
    }
    const bool real = action->kind == TN_SPEC_BOUNDED || action->kind == TN_SPEC_UNBOUNDED;
    if (!real || action->rank != 1) {
        throw tenon::InvalidArgument(std::string("it predicts rows of real numbers; this env has ") +
                                     tenon::suited(*action).kind +
                                     (real ? " of " + std::to_string(action->rank) + " dimensions" : ""));
    }
    return action;
}

// The bounds of the actions of a chunk [.., steps, elements of an action].
inline tenon::ActionBounds bounds_of_chunk(const tn_spec& action) {
    const tenon::ActionBounds bounds = tenon::bounds_of(action);
    const auto by_element = [](Value x) { return tenon::sizes_of(x).empty() ? x : unsqueeze(x, -2); };
    return {by_element(bounds.low), by_element(bounds.high)};
}

// A chunk from a buffer, [.., steps, elements of an action], as one row.
inline Value row_of(Value chunk, std::int64_t steps, std::int64_t width) {
    const std::vector<std::int64_t> sizes = tenon::sizes_of(chunk);
    const std::int64_t given = sizes.size() > 1 ? sizes[0] : 1;
    if (chunk.id != 0 && given != steps) {
        throw tenon::InvalidArgument("it predicts chunks of " + std::to_string(steps) + " actions, but rows have " +
                                     std::to_string(given) + ": set 'after' of [buffer] to " +
                                     std::to_string(steps - 1) + " and leave out 'before', or set its 'chunk' to " +
                                     std::to_string(given));
    }
    return chunk.id == 0 ? chunk : reshape(chunk, {steps * width});
}

}  // namespace chunks
