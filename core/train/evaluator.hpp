// SPDX-License-Identifier: Apache-2.0
// Scoring the policy as it is: whole episodes in an env of its own, with actions that do not explore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/state_bytes.hpp"
#include "env/lanes.hpp"
#include "exec/program.hpp"
#include "replay/storage.hpp"
#include "train/player.hpp"
#include "train/round.hpp"
#include "train/score.hpp"
#include "train/wiring.hpp"

namespace tenon {

class Evaluator {
public:
    // In the evaluation env number `which`; `seed` is that of the episodes. The learner's parameters are read at every
    // run. The executor may be null for a policy that is a procedure.
    static Result<std::unique_ptr<Evaluator>> make(Wiring& wiring, std::size_t which, Host& host, Executor* executor,
                                                   Learner& learner, std::int64_t episodes, std::uint64_t seed);

    // Plays the same episodes every time: each lane its share, from the same seeds. The numbers are those of the run
    // where it stands. Nothing where it was asked to stop.
    Result<std::optional<Score>> run(const RunNumbers& numbers, StopAsked stop = never_stops);

private:
    Evaluator() = default;
    Result<Acting> make_acting(Host& host, Executor* executor, Learner& learner);
    Result<Acting> make_procedure(Pool& pool);
    Status begin();
    Result<std::optional<Score>> play(const RunNumbers& numbers, StopAsked stop);

    Wiring* wiring_ = nullptr;
    std::vector<std::int64_t> share_;  // episodes of each lane
    std::uint64_t seed_ = 0;
    std::optional<Lanes> lanes_;
    std::optional<Storage> storage_;
    std::optional<Player> player_;
    StateBytes begin_;  // the procedure as it was made: no evaluation is to remember the one before
};

}  // namespace tenon
