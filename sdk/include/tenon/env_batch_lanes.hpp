// SPDX-License-Identifier: Apache-2.0
// The lanes of an env of batches (env.hpp): one object of the author's for all lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/abi/plugin.h"
#include "tenon/bind_options.hpp"
#include "tenon/env_async.hpp"
#include "tenon/env_binding.hpp"
#include "tenon/env_rows.hpp"
#include "tenon/guard.hpp"
#include "tenon/picture.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
concept BatchedEnv = requires(T& env, EnvRows rows) { env.step(rows); };

template <BatchedEnv T>
class BatchLanes {
public:
    static constexpr bool kSavable = requires(T& env, Archive& archive) { env.state(archive, std::uint32_t{}); };
    static constexpr bool kAllLanes = true;

    explicit BatchLanes(const tn_create_args& args)
        : mask_(args.lanes), seeds_(args.lanes), under_way_(AsyncEnv<T> ? args.lanes : 0) {
        configure(env_, args);
        rngs_.reserve(args.lanes);
        for (std::uint32_t lane = 0; lane < args.lanes; ++lane) {
            rngs_.push_back(Rng::of(*args.host, args.key, 0, lane));
        }
        fresh_.assign(args.lanes, 1);
        if constexpr (requires { env_.open(EnvBatch{}); }) {
            env_.open(EnvBatch{.lanes = args.lanes, .host = args.host});
        }
    }

    [[nodiscard]] const T& author() const { return env_; }
    [[nodiscard]] T& author() { return env_; }
    static void check(const EnvSpec&) {}

    // Begins episodes in the lanes of the mask. A failure of the whole call parks all of them.
    tn_status reset_lanes(EnvBinding& bound, std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        const auto lanes = static_cast<std::uint32_t>(rngs_.size());
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            mask_[lane] = mask == nullptr ? 1 : mask[lane];
            seeds_[lane].reset();
            if (mask_[lane] == 0) {
                continue;
            }
            if (seeds != nullptr) {
                rngs_[lane] = Rng(*bound.host, {seeds[lane], 0});
            }
            if (seeds != nullptr || fresh_[lane] != 0) {
                seeds_[lane] = rngs_[lane].bits();
            }
            fresh_[lane] = 0;
            bound.phases[lane] = LanePhase::kRunning;
            bound.lane_status[lane] = TN_OK;
        }
        const tn_env_step call = all_lanes(slot, slot, 0);
        const tn_status status =
            guard(*bound.host, [&] { env_.reset(EnvRows(bound, call, mask_.data(), seeds_.data())); });
        for (std::uint32_t lane = 0; lane < lanes && status != TN_OK; ++lane) {
            if (mask_[lane] != 0) {
                bound.park(lane, status);
            }
        }
        note_lost(bound, 0, lanes);
        return TN_OK;
    }

    void step(EnvBinding& bound, const tn_env_step& call) noexcept {
        const tn_status status = guard(*bound.host, [&] { env_.step(EnvRows(bound, call)); });
        for (std::uint32_t lane = call.first; lane < call.first + call.count && status != TN_OK; ++lane) {
            if (bound.phases[lane] == LanePhase::kRunning) {
                bound.park(lane, status);
            }
        }
        note_lost(bound, call.first, call.count);
    }

    // The two halves of a step. A failure of the second parks the lanes that have arrived.
    tn_status submit(EnvBinding& bound, const tn_env_submit& call) noexcept {
        const std::span lanes(call.lanes, call.count);
        const tn_env_step step = all_lanes(call.slot, call.slot, call.flags);
        return guard(*bound.host, [&] {
            env_.submit(EnvRows(bound, step, under_way_.named(lanes), nullptr));
            under_way_.begin(lanes);
            flags_ = call.flags;
        });
    }
    tn_status poll(EnvBinding& bound, tn_env_poll& call) noexcept {
        const tn_status waited = guard(
            *bound.host, [&] { under_way_.await(call, [&](std::uint32_t lane) { return env_.is_ready(lane); }); });
        if (waited != TN_OK || call.count == 0) {
            return waited;
        }
        const std::span lanes(call.lanes, call.count);
        const tn_env_step step = all_lanes(call.slot, call.next_slot, flags_);
        const tn_status status =
            guard(*bound.host, [&] { env_.receive(EnvRows(bound, step, under_way_.named(lanes), nullptr)); });
        for (const std::uint32_t lane : lanes) {
            if (status != TN_OK) {
                bound.park(lane, status);
            }
            note_lost(bound, lane, 1);
        }
        return TN_OK;
    }

    void draw(std::uint32_t lane, Picture& picture) const { env_.draw(lane, picture); }

    void archive(Archive& archive, std::uint32_t lane) {
        archive(rngs_[lane], fresh_[lane]);
        if constexpr (kSavable) {
            env_.state(archive, lane);
        }
    }

private:
    [[nodiscard]] tn_env_step all_lanes(std::uint32_t slot, std::uint32_t next_slot, std::uint32_t flags) const {
        return {.struct_size = sizeof(tn_env_step),
                .slot = slot,
                .next_slot = next_slot,
                .first = 0,
                .count = static_cast<std::uint32_t>(rngs_.size()),
                .flags = flags};
    }

    // A lane whose state was lost starts with another seed.
    void note_lost(const EnvBinding& bound, std::uint32_t first, std::uint32_t count) noexcept {
        if (!bound.any(LanePhase::kParked, first, count)) {
            return;
        }
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            fresh_[lane] = bound.lane_status[lane] == TN_LOST ? 1 : fresh_[lane];
        }
    }

    T env_{};
    std::vector<Rng> rngs_;                            // [lane]
    std::vector<std::uint8_t> fresh_;                  // [lane] has not had its first seed
    std::vector<std::uint8_t> mask_;                   // of the present reset
    std::vector<std::optional<std::uint64_t>> seeds_;  // of the present reset
    LanesUnderWay under_way_;                          // of an env that may answer later
    std::uint32_t flags_ = 0;                          // of the latest submit
};

}  // namespace TENON_SDK
}  // namespace tenon
