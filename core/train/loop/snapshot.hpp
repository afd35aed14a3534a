// SPDX-License-Identifier: Apache-2.0
// Saves a trainer to a folder: everything that determines the rest of the run, so that a resumed run equals an
// uninterrupted one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "train/collect/evaluator.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {

// The run's own data in a checkpoint.
struct SnapshotExtras {
    std::string executor;       // the one that `auto` has chosen
    std::uint64_t records = 0;  // in the metric files
    std::string graph;          // text form of the update graph, without source positions
    std::vector<Score> scores;  // of evaluations at exactly this frame
    // Where the round began that is in progress, or whose end nothing has been recorded after; -1: between rounds.
    std::int64_t round_began = -1;
};

// Writes the slabs and the buffer as safetensors, the learnt state of transforms as transforms.bin and everything else
// as state.bin. With `buffer` false, the transitions are left out.
Status save(Trainer& trainer, const SnapshotExtras& extras, bool buffer, const std::filesystem::path& folder);

// Writes only what scoring needs: parameters, what transforms have learnt (`transforms`, as Lanes::save_common gives
// it) and the position. The names of the files begin with `prefix`. Nothing can be resumed from it.
Status save_scored(Learner& learner, std::span<const std::byte> transforms, const Standing& standing,
                   const std::string& executor, const std::filesystem::path& folder, const std::string& prefix = {});

struct Restored {
    SnapshotExtras extras;
    std::vector<std::string> notices;  // what could not be restored, and what was done instead
};

// Names the acting procedure, samplers and hooks if they cannot save their state: a run resumed from a checkpoint then
// differs. For envs and transforms see Lanes::without_state.
std::vector<std::string> without_state(Trainer& trainer);

// Restores a trainer made from the same manifest to the saved state. After a failure the trainer must not be used.
// `frames_anew`: without frames and episodes, as a run with another number of shards had others.
Result<Restored> restore(Trainer& trainer, const std::filesystem::path& folder, bool frames_anew = false);

// The folder of a shard in a checkpoint. Shard 0 has the checkpoint itself.
std::filesystem::path folder_of_shard(const std::filesystem::path& checkpoint, std::size_t shard);
// How many shards have written the checkpoint.
std::size_t shards_of(const std::filesystem::path& checkpoint);

// The position of the checkpoint's run, and its executor; empty if no graphs were computed.
struct Origin {
    Standing standing;
    std::string executor;
};
Result<Origin> origin_of(const std::filesystem::path& folder, const std::string& prefix = {});

// Restores only parameters; targets and other versions become copies of them. This is what an evaluation needs, and
// what a new run may start from.
Status restore_weights(Learner& learner, const std::filesystem::path& folder, const std::string& prefix = {});
// Restores what the transforms have learnt in training, which the weights depend on.
Status restore_transforms(Lanes& lanes, const std::filesystem::path& folder, const std::string& prefix = {});

}  // namespace tenon
