// SPDX-License-Identifier: Apache-2.0
// Plays a policy outside of training: it acts, all lanes step, and finished episodes are counted. Used by evaluations
// of a run, `tenon eval` and `tenon record`.
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
struct EndedEpisode {
    std::uint32_t lane = 0;
    Episode episode;
};
using Acting = std::variant<Actor, ActingProcedure, RandomActions>;

class Player {
public:
    // The lanes are bound to the storage. Both are borrowed.
    Player(Lanes& lanes, Storage& storage, Acting acting);

    // Starts counting; lane i plays episodes[i] whole episodes. The caller has reset the lanes.
    void begin(std::vector<std::int64_t> episodes);

    // One step of all lanes; the caller takes their warnings and notices. Random numbers depend only on the number of
    // steps since begin. The policy's parameters must not change between steps.
    Status step(const RunNumbers& numbers);

    // Whether every lane has finished its episodes.
    [[nodiscard]] bool complete() const { return open_ == 0; }
    [[nodiscard]] Score score() const { return score(0, static_cast<std::uint32_t>(left_.size())); }
    // Of the episodes in these lanes.
    [[nodiscard]] Score score(std::uint32_t first, std::uint32_t count) const;

    [[nodiscard]] ActingProcedure* procedure() { return std::get_if<ActingProcedure>(&acting_); }

private:
    Status act(const RunNumbers& numbers);
    void count(std::uint32_t slot);

    Lanes* lanes_;
    Storage* storage_;
    Acting acting_;
    std::uint64_t steps_ = 0;
    std::size_t open_ = 0;            // lanes with episodes left
    std::vector<std::int64_t> left_;  // remaining episodes of each lane
    std::vector<Episode> running_;    // of each lane
    std::vector<EndedEpisode> ended_;
};

}  // namespace tenon
