// SPDX-License-Identifier: Apache-2.0
#include "train/plan/storage_size.hpp"

namespace tenon {

std::uint32_t storage_slots(const Wiring& wiring) {
    const Manifest& manifest = wiring.manifest;
    const BufferTable* const ring = collecting_buffer(manifest);
    const std::int64_t frames = ring != nullptr            ? ring->capacity
                                : wiring.learns_by_batch() ? batch_steps(wiring) * manifest.env.lanes
                                                           : 1;
    return Storage::slots_for(static_cast<std::uint64_t>(frames), static_cast<std::uint32_t>(manifest.env.lanes));
}

std::uint32_t batch_steps(const Wiring& wiring) {
    const Manifest& manifest = wiring.manifest;
    const std::int64_t episodes = manifest.train.episodes.value_or(0) / manifest.env.lanes;
    return static_cast<std::uint32_t>(episodes > 0 ? episodes * wiring.episode_limit
                                                   : manifest.train.batch / manifest.env.lanes);
}

}  // namespace tenon
