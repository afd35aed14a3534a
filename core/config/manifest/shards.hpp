// SPDX-License-Identifier: Apache-2.0
// The share of a run that one of its shards has: run.shards processes divide lanes, batches, minibatches and buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/manifest/manifest.hpp"

namespace tenon {

[[nodiscard]] inline std::int64_t shard_count(const Manifest& manifest) {
    return manifest.run.shards.value_or(1);
}

// Adds a problem for each size that run.shards does not divide.
void check_shards(const Manifest& manifest, Problems& problems);

// Makes the sizes of the manifest those of this shard, and back. Requires that check_shards finds no problem.
void take_shard(Manifest& manifest, std::int64_t shard);
[[nodiscard]] Manifest whole_run(Manifest manifest);

// The shard of this process; 0 of a whole run.
[[nodiscard]] inline std::int64_t shard_of(const Manifest& manifest) {
    return manifest.run.shard.value_or(0);
}

// How many processes the sizes of the manifest are divided among.
[[nodiscard]] inline std::int64_t sharers(const Manifest& manifest) {
    return manifest.run.shard ? shard_count(manifest) : 1;
}

// The number in the run of the manifest's first lane.
[[nodiscard]] inline std::uint32_t first_lane(const Manifest& manifest) {
    return static_cast<std::uint32_t>(shard_of(manifest) * manifest.env.lanes);
}

// The name of a stream of random numbers that each shard has for itself. Shard 0 has that of a run without shards.
[[nodiscard]] std::string stream_of_shard(const Manifest& manifest, std::string_view name);

}  // namespace tenon
