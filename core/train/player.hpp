// SPDX-License-Identifier: Apache-2.0
// A policy at play outside of training: it acts, all lanes step, the episodes that end are counted. Evaluations of a
// run, `tenon eval` and `tenon record` play by it.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "env/episodes.hpp"
#include "env/lanes.hpp"
#include "env/procedural.hpp"
#include "replay/storage.hpp"
#include "train/actor.hpp"
#include "train/random_actions.hpp"
#include "train/score.hpp"

namespace tenon {

struct ActingProcedure {
    ProceduralPolicy policy;
    std::int32_t mode = TN_ACT_MODE;
    tn_key key{};
};
using Acting = std::variant<Actor, ActingProcedure, RandomActions>;

class Player {
public:
    // The lanes are bound to the storage; both are borrowed.
    Player(Lanes& lanes, Storage& storage, Acting acting);

    // Counts from here on, and of lane i so many whole episodes as episodes[i] says. The caller has reset the lanes.
    void begin(std::vector<std::int64_t> episodes);

    // One step of all lanes, whose warnings and notices are the caller's to take; draws are functions of the steps
    // since begin. Nobody changes the policy's parameters between steps.
    Status step(const RunNumbers& numbers);

    // Whether every lane has ended its episodes.
    [[nodiscard]] bool complete() const { return open_ == 0; }
    [[nodiscard]] Score score() const { return score_of(returns_, steps_of_ended_); }

    [[nodiscard]] ActingProcedure* procedure() { return std::get_if<ActingProcedure>(&acting_); }

private:
    Status act(const RunNumbers& numbers);
    void count(std::uint32_t slot);

    Lanes* lanes_;
    Storage* storage_;
    Acting acting_;
    std::uint64_t steps_ = 0;
    std::size_t open_ = 0;            // lanes that still have some to play
    std::vector<std::int64_t> left_;  // episodes of each lane
    std::vector<Episode> running_;    // of each lane
    std::vector<double> returns_;     // of those that have ended
    std::int64_t steps_of_ended_ = 0;
};

}  // namespace tenon
