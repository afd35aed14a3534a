// SPDX-License-Identifier: Apache-2.0
// The keys of each kind of optimiser and target update, and their defaults.
#pragma once

#include <string_view>

#include "config/manifest/manifest.hpp"

namespace tenon {

// Sets the defaults of missing keys in [optimiser], and for each stage the keys that it cannot inherit from
// [optimiser]: those that only its kind has, and those whose default depends on the kind. Problems: keys of another
// kind, and inconsistent numbers.
void complete_optimisers(Manifest& manifest, Problems& problems);

// The same for [target].
void complete_target(Manifest& manifest, Problems& problems);

// Why the key of that table ("optimiser", "optimiser.critic", "target") is meaningless for its kind, as the end of a
// sentence; empty if it has a meaning.
std::string why_not_of_kind(const Manifest& manifest, std::string_view table, std::string_view key);

}  // namespace tenon
