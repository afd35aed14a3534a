// SPDX-License-Identifier: Apache-2.0
// The private part of Lanes, shared by the files that implement it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/data/flags.hpp"
#include "base/profile/profile.hpp"
#include "experience/env/env_stack.hpp"
#include "experience/env/finite_check.hpp"
#include "experience/env/followed_options.hpp"
#include "experience/env/frozen_rows.hpp"
#include "experience/env/lane_columns.hpp"
#include "experience/env/lane_faults.hpp"
#include "experience/env/lane_grain.hpp"
#include "experience/env/lanes.hpp"
#include "experience/env/late_steps.hpp"
#include "experience/env/mask_check.hpp"
#include "experience/env/range_failures.hpp"
#include "experience/env/summed_reward.hpp"

namespace tenon {

// An observation, and the column that gets it if it is the last of its episode.
struct FinalColumn {
    View view;
    View final;
    std::size_t row_bytes = 0;
};

struct Lanes::State {
    EnvStack env;
    std::vector<Callee<tn_transform_api>> transforms;
    std::unique_ptr<EnvTasks> tasks;  // of which the env is made, if it has any; outlives its wrappers
    std::shared_ptr<Device> device;   // on which the env has its lanes; null: the CPU
    std::vector<Instance> instances;  // owned by the lanes
    std::unique_ptr<DeviceEnv> on_device;
    std::uint32_t lanes = 0;
    Pool* pool = nullptr;

    EnvInfo info;
    std::vector<Composite> sides;  // [0]: those of the env with its wrappers, [i]: after i transforms

    Storage* storage = nullptr;
    LaneColumns columns;
    tn_env_buffers env_buffers{};
    std::vector<tn_transform_buffers> transform_buffers;
    std::vector<std::uint8_t> done;                      // in the present step: the env has begun another episode
    std::vector<std::uint8_t> cut;                       // in the present step: the episode was ended, but none begun
    std::vector<std::uint8_t> needs_reset;               // written by the env and its wrappers
    std::vector<std::uint8_t> lost;                      // in the latest step or reset: process and episode ended
    LostLanes lost_by_status;                            // those that the env says are lost
    bool apart = false;                                  // some component runs in a separate process
    std::vector<std::vector<FinalColumn>> finals;        // [side]
    bool learning = true;                                // transforms gather what their lanes share
    std::uint32_t step_flags = 0;                        // of the env's steps
    std::function<Status(std::uint32_t lane)> seen_end;  // called before the next episode begins; may be empty

    SummedReward summed;
    std::vector<SummedReward> by_group;  // if sum_groups was called
    LaneFaults faults;
    FiniteCheck finite;
    MaskCheck masks;
    FrozenRows frozen;
    FollowedOptions options;
    LateSteps late;
    RangeFailures failures;
    LaneGrain grain;
    Profile* profile = nullptr;  // null: steps are not measured
    unsigned sharing = 1;        // threads that share the present step
    Problems warnings;
    Problems notices;

    Status bind_plugins();
    void step_range(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count);
    // A range of lanes of which none is parked: the transforms' inverses, the env, the transforms.
    [[gnu::flatten]] Status step_live(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count);
    Status step_together(std::uint32_t slot, std::uint32_t next);
    Status invert_live(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count);
    [[gnu::always_inline]] inline Status step_env(std::uint32_t slot, std::uint32_t next, std::uint32_t first,
                                                  std::uint32_t count);
    // The transforms of a range of lanes that the env has stepped.
    Status finish_live(std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count);
    void note_ends(std::uint32_t first, std::uint32_t count);
    Status begin_in_env(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    Status reset_env(std::uint32_t slot, std::vector<std::uint8_t>& mask, const std::uint64_t* seeds);
    Status transform_live(std::size_t transform, std::uint32_t slot, std::uint32_t next, std::uint32_t first,
                          std::uint32_t count);
    void note_cuts(std::size_t side, std::uint32_t slot, std::uint32_t next, std::uint32_t first, std::uint32_t count);
    Status reset_cut_lanes(std::uint32_t slot, std::uint32_t next);
    [[nodiscard]] Status reset_transforms(const tn_transform_call& call, std::vector<std::uint8_t>& mask);
    [[nodiscard]] Status gather() const;
    bool take_lost();
    bool is_lost(const Callee<tn_transform_api>& transform, std::uint32_t first, std::uint32_t count);
    [[nodiscard]] Status begin_episodes(std::uint32_t slot, const std::uint64_t* seeds);
    // Whether a transform's process has ended before the env was called.
    [[nodiscard]] bool is_any_lost(std::uint32_t first, std::uint32_t count) const;
    [[nodiscard]] Status begin_lost(std::uint32_t slot);
    Status finish_arrived(std::uint32_t slot, std::uint32_t next);

    // Nearly every step has nothing to do in these functions. They are in this header, and the code for the other steps
    // is in other files, because a few calls are a noticeable part of a step of few lanes.
    void note_rewards(std::uint32_t slot, std::uint32_t first, std::uint32_t count) {
        summed.note(slot, first, count);
        for (SummedReward& of_group : by_group) {
            of_group.note(slot, first, count);
        }
    }

    // Takes over the lanes that the env has given the status TN_LOST.
    void note_lost() {
        if (any_set(faults.status)) {
            note_lost_lanes();
        }
    }
    void note_lost_lanes();
    [[nodiscard]] bool any_lost() const { return lost_by_status.any || (apart && any_lost_apart()); }
    [[nodiscard]] bool any_lost_apart() const;
    // Steps lost lanes again, with new episodes.
    [[nodiscard]] Status repeat_lost(std::uint32_t slot, std::uint32_t next) {
        std::ranges::fill(lost, std::uint8_t{0});
        return any_lost() ? repeat_lost_lanes(slot, next) : Status();
    }
    [[nodiscard]] Status repeat_lost_lanes(std::uint32_t slot, std::uint32_t next);
    void park_new_lanes() {
        if (any_set(faults.status)) {
            faults.park(env, *storage, warnings);
        }
    }
    // A problem if no lane is left.
    [[nodiscard]] Status all_parked() const {
        return std::ranges::find(storage->parked(), std::uint8_t{0}) != storage->parked().end() ? Status()
                                                                                                : faults.none_left();
    }
};

// Calls f(first, count) for every run of lanes in [first, first + count) whose byte is 0, until a call fails.
template <class F>
Status each_live_run(const std::uint8_t* parked, std::uint32_t first, std::uint32_t count, F&& f) {
    if (!any_set({parked + first, count})) {
        return f(first, count);
    }
    const std::uint32_t end = first + count;
    for (std::uint32_t at = first; at < end;) {
        if (parked[at] != 0) {
            ++at;
            continue;
        }
        const std::uint32_t begin = at;
        while (at < end && parked[at] == 0) {
            ++at;
        }
        TENON_TRY(f(begin, at - begin));
    }
    return {};
}

}  // namespace tenon
