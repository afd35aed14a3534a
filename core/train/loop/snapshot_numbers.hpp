// SPDX-License-Identifier: Apache-2.0
// The numbers of a checkpoint's state.bin. Each function lists the fields of its sections, and writes or reads them.
#pragma once

#include "train/checkpoint/saved_fields.hpp"
#include "train/loop/snapshot.hpp"

namespace tenon {

// How far the run is.
void run_numbers(SavedFields& saved, Standing& standing, SnapshotExtras& extras);

// Means that are not recorded yet.
void mean_numbers(SavedFields& saved, Trainer& trainer);

// Counters of the networks.
void network_numbers(SavedFields& saved, Learner& learner);

// The position in a round that was interrupted, and with `episodes` how far its episodes are.
Status round_numbers(SavedFields& saved, Trainer& trainer, SnapshotExtras& extras, bool episodes = true);

}  // namespace tenon
