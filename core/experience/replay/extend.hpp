// SPDX-License-Identifier: Apache-2.0
// Appends a caller's own steps to a storage: a batch [lane, time], or [time] for a single lane, with the names by which
// readers refer to experience (reader.hpp). Steps of a lane follow each other.
#pragma once

#include <vector>

#include "base/data/batch.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// The columns of a storage for such steps, by their keys. At the root and under "next.": an observation. Under "next."
// alone: a reward, except for the flags. At the root alone: an action ("action" and what is below it), else an extra.
// "next.terminated" and "next.truncated" must exist; "next.done" and "is_init" follow from them.
Result<std::vector<StorageColumn>> columns_for(const Batch& steps);

// Appends the steps, over the oldest transitions if the ring buffers are full. Where the observation of a step is not
// what the step before it led to, or "is_init" is 1, a new episode begins, and the one before it ends as truncated. The
// steps must have all columns of the storage and no others; if they do not fit, nothing is appended.
Status extend(Storage& storage, const Batch& steps);

// Starts with the transitions of another storage that has the same number of lanes and at most as many live slots as
// this one has slots. Columns that it lacks are unchanged. The last episode of each lane continues, unless a new one
// begins at the head.
void start_with(Storage& storage, const Storage& other);

}  // namespace tenon
