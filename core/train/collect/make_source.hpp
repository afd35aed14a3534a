// SPDX-License-Identifier: Apache-2.0
// Makes sources: of lanes in this process, or of the kind that a training run names (train/plan/source_kind.hpp).
#pragma once

#include <memory>

#include "train/collect/frame_source.hpp"

namespace tenon {

// Lanes that step in this process, for evaluations, recordings and the like. What they depend on must outlive them.
Result<std::unique_ptr<FrameSource>> make_source(Lanes lanes, Storage storage);
// The same, with a storage that holds only the newest step.
Result<std::unique_ptr<FrameSource>> make_source(Lanes lanes);

// What a training run collects from: `collector.kind`, or lanes of which everything stays on the executor's device. The
// executor may be null if nothing learns or acts by a graph.
Result<std::unique_ptr<FrameSource>> make_training_source(const Wiring& wiring, Lanes lanes, Storage storage,
                                                          const Learner& learner, const Executor* executor);

}  // namespace tenon
