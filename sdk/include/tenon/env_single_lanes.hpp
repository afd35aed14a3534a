// SPDX-License-Identifier: Apache-2.0
// The lanes of an env written for a single lane: one object of the author's per lane, stepped in turn.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/abi/plugin.h"
#include "tenon/bind_options.hpp"
#include "tenon/device_lane.hpp"
#include "tenon/env_binding.hpp"
#include "tenon/env_lane.hpp"
#include "tenon/guard.hpp"
#include "tenon/picture.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
class SingleLanes {
public:
    static constexpr bool kSavable = Savable<T>;
    static constexpr bool kAllLanes = false;

    explicit SingleLanes(const tn_create_args& args) {
        lanes_.reserve(args.lanes);
        for (std::uint32_t lane = 0; lane < args.lanes; ++lane) {
            EnvLane<T>& one = lanes_.emplace_back(*args.host);
            set_up(one.env, args);
            one.rng = Rng::of(*args.host, args.key, 0, lane);
        }
    }

    [[nodiscard]] const T& author() const { return lanes_[0].env; }
    [[nodiscard]] T& author() { return lanes_[0].env; }
    static void check(const EnvSpec& spec) { EnvLane<T>::check(spec); }

    [[nodiscard]] Rng& rng(std::uint32_t lane) { return lanes_[lane].rng; }

    void reset(const EnvBinding& bound, std::uint32_t lane, std::uint32_t slot) {
        lanes_[lane].reset(bound.columns, lane, slot);
        lanes_[lane].steps = 0;
    }

    void step(EnvBinding& bound, const tn_env_step& call) noexcept {
        const bool leaves_ends = bound.leaves_ends(call);
        for (std::uint32_t lane = call.first; lane < call.first + call.count; ++lane) {
            if (bound.phases[lane] == LanePhase::kParked) {
                continue;
            }
            const tn_status status =
                guard(*bound.host, [&] { step_lane(bound, lane, call.slot, call.next_slot, leaves_ends); });
            if (status != TN_OK) {
                bound.park(lane, status);
            }
        }
    }

    void draw(std::uint32_t lane, Picture& picture) const { lanes_[lane].env.draw(picture); }

    void archive(Archive& archive, std::uint32_t lane) {
        EnvLane<T>& one = lanes_[lane];
        archive(one.rng, one.steps);
        if (one.steps < 0) {
            throw DataLoss("saved state of the env is damaged");
        }
        archive_object(archive, one.env);
    }

    // The lane as kernels have it (device_env.hpp).
    template <class Lane>
    void give(std::uint32_t lane, Lane& out) const {
        out.state = lanes_[lane].env.*T::on_device.now;
        give_rest(lanes_[lane].rng, lanes_[lane].steps, out);
    }
    template <class Lane>
    void take(std::uint32_t lane, const Lane& from) {
        lanes_[lane].env.*T::on_device.now = from.state;
        lanes_[lane].rng.set_state({from.key, from.counter});
        lanes_[lane].steps = from.steps;
    }

private:
    void set_up(T& env, const tn_create_args& args) {
        if constexpr (requires { env.share(lanes_[0].env); }) {
            if (lanes_.size() > 1) {
                bind_options(env, args);
                env.share(std::as_const(lanes_[0].env));
                return;
            }
        }
        configure(env, args);
    }

    void step_lane(const EnvBinding& bound, std::uint32_t i, std::uint32_t slot, std::uint32_t next_slot,
                   bool leaves_ends) {
        const EnvColumns& columns = bound.columns;
        EnvLane<T>& lane = lanes_[i];
        const StepResult result = lane.step(columns, i, slot, next_slot);
        ++lane.steps;
        const bool truncated = result.truncated || (bound.limit > 0 && lane.steps >= bound.limit);
        columns.give_reward(slot, i, result.reward);
        columns.terminated.template scalar<bool>(slot, i) = result.terminated;
        columns.truncated.template scalar<bool>(slot, i) = truncated;
        if (result.terminated || truncated) {
            for (std::size_t k = 0; k < columns.observations.size(); ++k) {
                columns.observations[k].copy_row_to(columns.finals[k], next_slot, slot, i);
            }
            if (leaves_ends) {
                bound.needs_reset[i] = 1;
            } else {
                reset(bound, i, next_slot);
            }
        }
    }

    std::vector<EnvLane<T>> lanes_;
};

}  // namespace TENON_SDK
}  // namespace tenon
