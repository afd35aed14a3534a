// SPDX-License-Identifier: Apache-2.0
// The numbers of a checkpoint's state.bin: how far the run is, means that are not recorded yet, counters of the
// networks, and the position in a round that was interrupted.
#pragma once

#include "train/checkpoint/bytes.hpp"
#include "train/loop/snapshot.hpp"

namespace tenon {

void write_run(ByteWriter& out, const Standing& standing, const SnapshotExtras& extras);
void read_run(ByteReader& in, Standing& standing, SnapshotExtras& extras);

// The run and the means of its units.
void write_standing(ByteWriter& out, const Trainer& trainer, const SnapshotExtras& extras);
void read_standing(ByteReader& in, Trainer& trainer, SnapshotExtras& extras);

void write_networks(ByteWriter& out, const Learner& learner);
void read_networks(ByteReader& in, Learner& learner);

Status write_round(ByteWriter& out, Trainer& trainer, const SnapshotExtras& extras);
Status read_round(ByteReader& in, Trainer& trainer, SnapshotExtras& extras);

}  // namespace tenon
