// SPDX-License-Identifier: Apache-2.0
// What transforms make of frames that were recorded without them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/data/spec.hpp"
#include "base/error/result.hpp"
#include "base/thread/pool.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/transform.h"

namespace tenon {

struct TransformedFrames {
    Storage storage;
    std::vector<std::byte> learnt;  // the state that lanes of transforms share, as Lanes::save_common has written it
};

// Runs the transforms over all frames, lane by lane and in order, as in acting; `env` has the columns before them.
// Transforms that learn (the mean of observations) go over the frames twice: what they have learnt from all of them
// then applies to each. Transforms that change actions are refused, because the policy's action is unknown, and so are
// those that end an episode that goes on. Columns that neither the env nor a transform has are copied.
// The transforms must have been made for the lanes of the frames.
Result<TransformedFrames> transformed_frames(const Storage& recorded, const Composite& env,
                                             std::vector<Callee<tn_transform_api>> transforms, std::uint64_t seed,
                                             Pool& pool);

}  // namespace tenon
