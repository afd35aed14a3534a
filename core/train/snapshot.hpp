// SPDX-License-Identifier: Apache-2.0
// A trainer in a folder: everything that decides how the run goes on, so that a resumed one equals one that never
// stopped.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "train/evaluator.hpp"
#include "train/trainer.hpp"

namespace tenon {

// What the run itself adds to a checkpoint.
struct SnapshotExtras {
    std::string executor;       // the one that `auto` chose
    std::uint64_t records = 0;  // in the metric files
    std::string graph;          // text form of the update graph without places
    std::vector<Score> scores;  // of the evaluations at this very frame, where there were any
    // Where the round began that the run is in the middle of, or that nothing has followed yet; -1: it is between
    // rounds.
    std::int64_t round_began = -1;
};

// Writes the slabs and the buffer as safetensors, what transforms have learnt as transforms.bin and everything else as
// state.bin; without the buffer, its transitions are left out.
Status save(Trainer& trainer, const SnapshotExtras& extras, bool buffer, const std::filesystem::path& folder);

struct Restored {
    SnapshotExtras extras;
    std::vector<std::string> notices;  // what could not be restored and what was done instead
};

// The acting procedure and the sampler, where they cannot save their state: a run resumed from a checkpoint is not the
// same run. Envs and transforms: Lanes::without_state.
std::vector<std::string> without_state(Trainer& trainer);

// Puts a trainer that was made from the same manifest where the saved one was. On failure the trainer is not to be
// used.
Result<Restored> restore(Trainer& trainer, const std::filesystem::path& folder);

// Where that checkpoint has its buffer (checkpoint/frames_file.hpp), if it has it.
std::filesystem::path buffer_of(const std::filesystem::path& folder);

// Where the run in that checkpoint stood, and the executor that computed it; empty where nothing is computed by graphs.
struct Origin {
    Standing standing;
    std::string executor;
};
Result<Origin> origin_of(const std::filesystem::path& folder);

// Parameters only, with the targets as their copies: what an evaluation needs, and what a new run may begin with.
Status restore_weights(Learner& learner, const std::filesystem::path& folder);
// And what the transforms of training have learnt, which the weights are used to.
Status restore_transforms(Lanes& lanes, const std::filesystem::path& folder);

}  // namespace tenon
