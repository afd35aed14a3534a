// SPDX-License-Identifier: Apache-2.0
// How readers of experience name it: time t at the root, t+1 under "next.". "next.reward", "next.terminated",
// "next.truncated" and "next.done" are of the transition that starts at the slot; "next.<observation>" is the
// observation one slot later, or the one the episode ended with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/storage.hpp"

namespace tenon {

enum class Reading {
    kAtSlot,  // the column's row at the slot
    kNext,    // its row one slot later, or its final value where the transition is done
    kDone,    // terminated or truncated
};

struct ReaderColumn {
    std::string key;
    Reading reading = Reading::kAtSlot;
    const StorageColumn* column = nullptr;  // none for kDone
    DType dtype = DType::kF32;
    Shape row;
};

// Somebody who wants a column: `reader` stands in sentences ("objective dqn/dqn").
struct Want {
    std::string key;
    std::string reader;
};

// What the key means for a storage; the problem says why it means nothing, and which key was probably meant.
Result<ReaderColumn> resolve(const Storage& storage, const Want& want);

// All keys that resolve, in the columns' order.
std::vector<std::string> reader_keys(const Storage& storage);

// The same keys with their specs, before there is a storage: what a storage of these columns will offer its readers.
Composite reader_specs(const Composite& specs);

}  // namespace tenon
