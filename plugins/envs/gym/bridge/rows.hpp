// SPDX-License-Identifier: Apache-2.0
// What goes from a row of the host into a lane of a slab, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "slab.hpp"
#include "tenon/env_rows.hpp"

namespace bridge {

// What a lane ends with.
struct Failure {
    tn_status status;
    std::string sentence;
    bool is_of_worker = false;  // it is the same for all lanes of a worker
};

// The seed of a lane: from its number and the offset, or from the run if the offset is -1; kContinue if the lane's
// generator goes on.
std::uint64_t seed_of(const tenon::BatchRow& row, std::int64_t seed_offset);

// Asks lane `lane` of the slab for a step or the beginning of an episode, with a seed or kContinue.
void ask_lane(const Slab& slab, const SlabLayout& layout, std::uint32_t lane, const tenon::BatchRow& row,
              Command command, std::uint64_t seed) noexcept;

// Copies what the lane has answered. If it failed, the sentence says why.
std::optional<Failure> take_lane(const Slab& slab, const SlabLayout& layout, std::uint32_t lane,
                                 const tenon::BatchRow& row, Command command);

}  // namespace bridge
