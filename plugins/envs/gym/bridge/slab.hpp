// SPDX-License-Identifier: Apache-2.0
// The memory that is shared with a worker: per lane what to do, the action and the results. Both sides know it by the
// offsets that this side chooses (tenon_worker/slab.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenon/env_spec.hpp"

namespace bridge {

enum class Command : std::uint32_t { kStep = 1, kReset = 2, kStepLeavingEnds = 3 };

// In place of a seed: the generator of the lane goes on.
inline constexpr std::uint64_t kContinue = ~std::uint64_t{0};
inline constexpr std::size_t kText = 3072;

// Rows of one column, one a lane.
struct SlabColumn {
    std::size_t offset;
    std::size_t row_bytes;
};

struct SlabLayout {
    SlabLayout(const tenon::EnvSpec& spec, std::uint32_t lanes);

    // As the members of a JSON object, without braces.
    [[nodiscard]] std::string json() const;

    std::uint32_t lanes;
    std::size_t size = 0;
    std::size_t bell, request, done, command, failed, seed, reward, terminated, truncated, text;
    std::vector<SlabColumn> observations, finals, actions, extras, rewards, ends;
    // The extra with the rewards of a group's agents, if the environment has its answers as agents.
    std::optional<std::size_t> group_rewards;
    std::int32_t group_rewards_dtype = 0;

private:
    std::size_t place(std::size_t bytes);
    std::vector<SlabColumn> place(const std::vector<tenon::Spec>& specs);
};

// A mapped slab.
struct Slab {
    std::byte* data = nullptr;

    template <class E>
    [[nodiscard]] E& at(std::size_t offset, std::uint32_t lane) const {
        return static_cast<E*>(static_cast<void*>(data + offset))[lane];
    }
    [[nodiscard]] std::byte* row(const SlabColumn& column, std::uint32_t lane) const {
        return data + column.offset + lane * column.row_bytes;
    }
};

}  // namespace bridge
