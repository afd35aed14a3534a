// SPDX-License-Identifier: Apache-2.0
// The names by which readers refer to experience: time t at the root, t+1 under "next.". "next.reward",
// "next.terminated", "next.truncated" and "next.done" belong to the transition that starts at the slot.
// "next.<observation>" is the observation one slot later, or the final one of the episode.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/data/port.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

enum class Reading {
    kAtSlot,   // the column's row at the slot
    kNext,     // its row one slot later, or its final value if the transition is done
    kDone,     // terminated or truncated
    kEarlier,  // the rows of a history before the slot, oldest first; in a batch of sequences, one for each of these
};

struct ReaderColumn {
    Port port;
    Reading reading = Reading::kAtSlot;
    const StorageColumn* column = nullptr;  // null for kDone
};

// Resolves the key for a storage. The problem explains why the key is invalid and which one was probably meant;
// `reader` names the reader ("objective dqn/dqn").
Result<ReaderColumn> resolve(const Storage& storage, std::string_view key, std::string_view reader);

// All keys that can be resolved, in the columns' order.
std::vector<std::string> reader_keys(const Storage& storage);

// The same keys with their specs, before a storage exists: what a storage with these columns offers to readers.
Composite reader_specs(const Composite& specs);

}  // namespace tenon
