// SPDX-License-Identifier: Apache-2.0
// Joins the frames of several files, for `tenon data convert A B DST`.
#pragma once

#include <span>

#include "base/error/result.hpp"
#include "train/plan/named_frames.hpp"

namespace tenon {

// The whole episodes of all sources in one lane, concatenated, with the specs and metadata of the first source.
// The sources must have the same observations, actions and rewards. Other columns, such as what a policy has put out,
// are left out unless all sources have them.
Result<NamedFrames> joined(std::span<const NamedFrames> sources);

}  // namespace tenon
