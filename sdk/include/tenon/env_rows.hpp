// SPDX-License-Identifier: Apache-2.0
// The rows of one call of an env of batches (env.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/env_binding.hpp"
#include "tenon/env_spec.hpp"
#include "tenon/guard.hpp"
#include "tenon/random.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The arguments of open.
struct EnvBatch {
    std::uint32_t lanes;
    const tn_host* host;

    // Writes one line to the run's log. Not for the steady loop.
    void warn(std::string_view text) const { host->log(host->ctx, TN_LOG_WARNING, to_str(text)); }
};

// One lane in a call of reset or step. Columns are numbered as in the EnvSpec; the bytes of a row are those of its
// elements, for envs that copy them from other memory.
class BatchRow {
public:
    BatchRow(const EnvColumns& columns, std::uint32_t lane, std::uint32_t slot, std::uint32_t next_slot,
             const std::uint64_t* seed)
        : columns_(&columns), seed_(seed), lane_(lane), slot_(slot), next_slot_(next_slot) {}

    [[nodiscard]] std::uint32_t lane() const { return lane_; }

    // In reset: the seed of a lane whose generator starts, 64 random bits. None if it continues.
    [[nodiscard]] std::optional<std::uint64_t> seed() const {
        return seed_ == nullptr ? std::nullopt : std::optional(*seed_);
    }

    // In step: this row's action, of the column with this number.
    template <class E>
    [[nodiscard]] std::span<const E> action(std::size_t number = 0) const {
        return column_at(columns_->actions, number, "action").template row<const E>(slot_, lane_);
    }
    [[nodiscard]] std::span<const std::byte> action_bytes(std::size_t number = 0) const {
        return column_at(columns_->actions, number, "action").bytes(slot_, lane_);
    }

    // The observation that follows; the first one of an episode after reset, and after a step that ended the episode.
    template <class E>
    [[nodiscard]] std::span<E> observation(std::size_t number = 0) const {
        return column_at(columns_->observations, number, "observation").template row<E>(next_slot_, lane_);
    }
    [[nodiscard]] std::span<std::byte> observation_bytes(std::size_t number = 0) const {
        return column_at(columns_->observations, number, "observation").bytes(next_slot_, lane_);
    }

    // In a step that ended the episode: its last observation.
    template <class E>
    [[nodiscard]] std::span<E> final_observation(std::size_t number = 0) const {
        return column_at(columns_->finals, number, "observation").template row<E>(slot_, lane_);
    }
    [[nodiscard]] std::span<std::byte> final_observation_bytes(std::size_t number = 0) const {
        return column_at(columns_->finals, number, "observation").bytes(slot_, lane_);
    }

    template <class E>
    [[nodiscard]] std::span<E> extra(std::size_t number = 0) const {
        return column_at(columns_->extras, number, "extra").template row<E>(next_slot_, lane_);
    }
    [[nodiscard]] std::span<std::byte> extra_bytes(std::size_t number = 0) const {
        return column_at(columns_->extras, number, "extra").bytes(next_slot_, lane_);
    }

    // A further reward of the step, and which agents end with it.
    template <class E>
    [[nodiscard]] std::span<E> reward(std::size_t number = 0) const {
        return column_at(columns_->rewards, number, "reward").template row<E>(slot_, lane_);
    }
    [[nodiscard]] std::span<std::byte> reward_bytes(std::size_t number = 0) const {
        return column_at(columns_->rewards, number, "reward").bytes(slot_, lane_);
    }
    [[nodiscard]] std::span<bool> end(std::size_t number = 0) const {
        return column_at(columns_->ends, number, "end").template row<bool>(slot_, lane_);
    }
    [[nodiscard]] std::span<std::byte> end_bytes(std::size_t number = 0) const {
        return column_at(columns_->ends, number, "end").bytes(slot_, lane_);
    }

    // What every step writes.
    void result(double reward, bool terminated, bool truncated) const {
        columns_->give_reward(slot_, lane_, reward);
        columns_->terminated.template scalar<bool>(slot_, lane_) = terminated;
        columns_->truncated.template scalar<bool>(slot_, lane_) = truncated;
    }

    // Whether result() said that the episode ended.
    [[nodiscard]] bool ended() const {
        return columns_->terminated.template scalar<bool>(slot_, lane_) ||
               columns_->truncated.template scalar<bool>(slot_, lane_);
    }

private:
    const EnvColumns* columns_;
    const std::uint64_t* seed_;
    std::uint32_t lane_;
    std::uint32_t slot_;
    std::uint32_t next_slot_;
};

// The lanes of a call: those of a range that are not parked and, in reset, that the host asks for.
class EnvRows {
public:
    EnvRows(EnvBinding& bound, const tn_env_step& call) : bound_(&bound), call_(&call) {}
    EnvRows(EnvBinding& bound, const tn_env_step& call, const std::uint8_t* mask,
            const std::optional<std::uint64_t>* seeds)
        : bound_(&bound), call_(&call), mask_(mask), seeds_(seeds) {}

    // Calls visit(tenon::BatchRow) for each lane, in ascending order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::uint32_t lane = call_->first; lane < call_->first + call_->count; ++lane) {
            if (is_in(lane)) {
                const std::uint64_t* const seed =
                    seeds_ != nullptr && seeds_[lane].has_value() ? &*seeds_[lane] : nullptr;
                visit(BatchRow(bound_->columns, lane, call_->slot, call_->next_slot, seed));
            }
        }
    }

    // In step: the host draws the ends of episodes, so leave_end may take the place of the next episode.
    [[nodiscard]] bool leaves_ends() const { return bound_->leaves_ends(*call_); }

    // After a step that ended an episode: the host resets the lane. row.observation() and row.final_observation() are
    // both the last one. Only where leaves_ends().
    void leave_end(std::uint32_t lane) const { bound_->needs_reset[lane] = 1; }

    // Gives up a lane: the host leaves its experience out and goes on with the others. Its row must not be used any
    // more. The sentence says why. With TN_LOST the host resets the lane and repeats the step: its episode ends with
    // the step before, and row.seed() has another seed.
    void park(std::uint32_t lane, tn_status status, const std::string& sentence) const {
        bound_->park(lane, fail(*bound_->host, status, sentence));
    }

private:
    [[nodiscard]] bool is_in(std::uint32_t lane) const {
        if (mask_ != nullptr) {
            return mask_[lane] != 0;
        }
        return bound_->phases[lane] == LanePhase::kRunning && bound_->lane_status[lane] == 0;  // the host parks too
    }

    EnvBinding* bound_;
    const tn_env_step* call_;
    const std::uint8_t* mask_ = nullptr;                   // in reset
    const std::optional<std::uint64_t>* seeds_ = nullptr;  // in reset: of the lanes that start
};

}  // namespace TENON_SDK
}  // namespace tenon
