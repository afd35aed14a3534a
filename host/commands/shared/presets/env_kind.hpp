// SPDX-License-Identifier: Apache-2.0
// The kind of an env, in the few words that choose a preset.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/data/spec.hpp"

namespace tenon {

struct EnvKind {
    // "vector" (columns of at most one dimension), "picture" (one column of three dimensions), "grid" (a picture with a
    // side below kLeastSide), "picture_and_vectors", "grid_and_vectors", "matrix" (one column of two dimensions), or
    // "mixed".
    std::string observations;
    // "discrete", "one_hot", "multi_discrete", "binary", "continuous", or "mixed" (several columns).
    std::string actions;
    bool bounded = false;                   // all observations have bounds
    std::string group;                      // of agents who act; empty: there is one agent
    bool several_groups = false;            // act
    std::string layout;                     // of a picture: "chw" or "hwc"
    std::vector<std::string> columns;       // to which the kind applies, by their names for policies of the group
    std::vector<std::string> all = {};      // the same by their names for policies of no group
    std::vector<std::string> state = {};    // "state", if the env observes that for all agents, otherwise as `all`
    std::vector<std::string> vectors = {};  // observed together with a picture
};

inline constexpr std::int64_t kLeastSide = 36;  // of the pictures that the usual filters of Atari can read

EnvKind kind_of(const Composite& specs);

// "a picture as observation and discrete actions", for sentences.
std::string phrase_of(const EnvKind& kind);

}  // namespace tenon
