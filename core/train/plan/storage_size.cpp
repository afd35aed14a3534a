// SPDX-License-Identifier: Apache-2.0
#include "train/plan/storage_size.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error/listed.hpp"

namespace tenon {
namespace {

// The number of slots that fit into the bytes, at least two, so that too small a number can be reported.
std::uint32_t slots_in(std::uint64_t bytes, const Wiring& wiring, std::uint32_t lanes) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes / slot_bytes(wiring.stored, lanes), 2, kMost));
}

// The steps of a round and, if whole episodes are kept, of the longest one.
std::int64_t steps_before_keeping(const Wiring& wiring, const BufferTable& buffer) {
    const std::int64_t lanes = wiring.manifest.env.lanes;
    const std::int64_t round = wiring.manifest.train.batch / lanes + 1;
    return buffer.writer == "keep_best" ? round + longest_kept(wiring) : round;
}

}  // namespace

std::uint32_t kept_rows(const Wiring& wiring) {
    const BufferTable& buffer = *collecting_buffer(wiring.manifest);
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
    return buffer.capacity.bytes > 0 ? slots_in(buffer.capacity.bytes, wiring, 1)
                                     : static_cast<std::uint32_t>(std::min(buffer.capacity.frames, kMost));
}

std::int64_t longest_kept(const Wiring& wiring) {
    const std::int64_t rows = kept_rows(wiring);
    return wiring.episode_limit > 0 ? std::min(wiring.episode_limit, rows)
                                    : std::max<std::int64_t>(rows / wiring.manifest.env.lanes, 1);
}

std::int64_t buffer_frames(const Wiring& wiring) {
    const BufferTable& buffer = *collecting_buffer(wiring.manifest);
    return buffer.writer == "ring" ? (std::int64_t{storage_slots(wiring)} - 1) * wiring.manifest.env.lanes
                                   : std::int64_t{kept_rows(wiring)};
}

std::uint32_t storage_slots(const Wiring& wiring) {
    const Manifest& manifest = wiring.manifest;
    const BufferTable* const ring = collecting_buffer(manifest);
    if (ring != nullptr && ring->writer != "ring") {
        return static_cast<std::uint32_t>(steps_before_keeping(wiring, *ring)) + 1;
    }
    if (ring != nullptr && ring->capacity.bytes > 0) {
        return slots_in(ring->capacity.bytes, wiring, static_cast<std::uint32_t>(manifest.env.lanes));
    }
    const bool records = manifest.collector && manifest.collector->record;  // it reads each round as a whole
    const std::int64_t frames = ring != nullptr                       ? ring->capacity.frames
                                : wiring.learns_by_batch() || records ? batch_steps(wiring) * manifest.env.lanes
                                                                      : 1;
    return Storage::slots_for(static_cast<std::uint64_t>(frames), static_cast<std::uint32_t>(manifest.env.lanes));
}

std::uint32_t slots_held_back(const Wiring& wiring) {
    return sampled_back(wiring.stored);
}

void check_capacity(const Wiring& wiring, std::int64_t frames, Problems& problems) {
    const Manifest& m = wiring.manifest;
    const BufferTable& ring = *collecting_buffer(m);
    const auto too_small = [&](const std::string& than) {
        const std::string key = ring.component.path + ".capacity";
        const std::string given = ring.capacity.bytes > 0 ? ring.capacity.size + ", which holds " : "";
        problems.push_back(
            input_problem(key + " is " + given + counted(frames, "frame") + ", less than " + than, place_of(m, key)));
    };
    if (frames < 2 * m.env.lanes) {
        too_small("two steps of " + counted(m.env.lanes, "lane"));
    } else if (frames < m.train.batch) {
        too_small("the " + std::to_string(m.train.batch) +
                  " of train.batch: frames would be overwritten before an update uses them");
    } else if (frames < m.train.minibatch) {
        too_small("the " + std::to_string(m.train.minibatch) + " rows of train.minibatch");
    }
}

std::uint32_t batch_steps(const Wiring& wiring) {
    const Manifest& manifest = wiring.manifest;
    const std::int64_t episodes = manifest.train.episodes.value_or(0) / manifest.env.lanes;
    return static_cast<std::uint32_t>(episodes > 0 ? episodes * wiring.episode_limit
                                                   : manifest.train.batch / manifest.env.lanes);
}

}  // namespace tenon
