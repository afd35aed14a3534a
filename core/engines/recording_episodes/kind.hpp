// SPDX-License-Identifier: Apache-2.0
// collector.record: what this folder offers to others.
#pragma once

#include "train/plan/recording_kind.hpp"

namespace tenon {

const RecordingKind& recording_episodes();

}  // namespace tenon
