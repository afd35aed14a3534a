// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <string.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>

#include "tenon/spec.hpp"

namespace bridge {
namespace {

void copy(std::span<std::byte> to, const std::byte* from) noexcept {
    std::memcpy(to.data(), from, to.size());
}

void give_rewards(const std::byte* from, std::int32_t dtype, const tenon::BatchRow& row) {
    tenon::with_dtype(dtype, [&](auto value) {
        for (float& reward : row.reward<float>()) {
            std::memcpy(&value, from, sizeof value);
            reward = static_cast<float>(value);
            from += sizeof value;
        }
    });
}

}  // namespace

// Some environments refuse seeds of 32 bits and more, so a seed has 31.
std::uint64_t seed_of(const tenon::BatchRow& row, std::int64_t seed_offset) {
    const std::optional<std::uint64_t> seed = row.seed();
    if (!seed) {
        return kContinue;
    }
    return seed_offset >= 0 ? static_cast<std::uint64_t>(seed_offset) + row.lane() : *seed >> 33U;
}

void ask_lane(const Slab& slab, const SlabLayout& layout, std::uint32_t lane, const tenon::BatchRow& row,
              Command command, std::uint64_t seed) noexcept {
    slab.at<Command>(layout.command, lane) = command;
    if (command != Command::kReset) {
        for (std::size_t i = 0; i < layout.actions.size(); ++i) {
            const std::span<const std::byte> action = row.action_bytes(i);
            std::memcpy(slab.row(layout.actions[i], lane), action.data(), action.size());
        }
    } else {
        slab.at<std::uint64_t>(layout.seed, lane) = seed;
        slab.at<std::uint32_t>(layout.failed, lane) = 0;
    }
    std::atomic_ref(slab.at<std::uint32_t>(layout.request, lane)).fetch_add(1, std::memory_order_release);
}

std::optional<Failure> take_lane(const Slab& slab, const SlabLayout& layout, std::uint32_t lane,
                                 const tenon::BatchRow& row, Command command) {
    if (slab.at<std::uint32_t>(layout.failed, lane) != 0) {
        const char* const text = &slab.at<char>(layout.text, 0);
        return Failure{TN_INTERNAL, std::string(text, ::strnlen(text, kText))};
    }
    bool is_over = false;
    if (command != Command::kReset) {
        const bool terminated = slab.at<std::uint8_t>(layout.terminated, lane) != 0;
        const bool truncated = slab.at<std::uint8_t>(layout.truncated, lane) != 0;
        row.result(slab.at<double>(layout.reward, lane), terminated, truncated);
        is_over = terminated || truncated;
        if (layout.group_rewards) {
            give_rewards(slab.row(layout.extras[*layout.group_rewards], lane), layout.group_rewards_dtype, row);
        }
        for (std::size_t i = 0; i < layout.rewards.size() && !layout.group_rewards; ++i) {
            copy(row.reward_bytes(i), slab.row(layout.rewards[i], lane));
        }
        for (std::size_t i = 0; i < layout.ends.size(); ++i) {
            copy(row.end_bytes(i), slab.row(layout.ends[i], lane));
        }
    }
    for (std::size_t i = 0; i < layout.observations.size(); ++i) {
        const std::byte* const final = slab.row(layout.finals[i], lane);
        const bool is_left = is_over && command == Command::kStepLeavingEnds;
        copy(row.observation_bytes(i), is_left ? final : slab.row(layout.observations[i], lane));
        if (is_over) {
            copy(row.final_observation_bytes(i), final);
        }
    }
    for (std::size_t i = 0; i < layout.extras.size(); ++i) {
        copy(row.extra_bytes(i), slab.row(layout.extras[i], lane));
    }
    return std::nullopt;
}

}  // namespace bridge
