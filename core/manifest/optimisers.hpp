// SPDX-License-Identifier: Apache-2.0
// Which kind of optimiser, and of target update, has which keys, and what a key is where nobody gives it.
#pragma once

#include <string_view>

#include "manifest/manifest.hpp"

namespace tenon {

// Gives every key of its kind that [optimiser] lacks its default, and each stage what it cannot have from [optimiser]:
// keys of its own kind only, and those whose default depends on the kind. Problems: keys that are not of the kind,
// numbers that do not go together.
void complete_optimisers(Manifest& manifest, Problems& problems);

// The same for [target].
void complete_target(Manifest& manifest, Problems& problems);

// Why the key of that table ("optimiser", "optimiser.critic", "target") means nothing to its kind, as the end of a
// sentence; empty if it means something.
std::string why_not_of_kind(const Manifest& manifest, std::string_view table, std::string_view key);

}  // namespace tenon
