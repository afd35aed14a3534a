// SPDX-License-Identifier: Apache-2.0
// "tenon.env/1" and "tenon.state/1" for an env that knows only one lane (env.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/abi/plugin.h"
#include "tenon/bind_options.hpp"
#include "tenon/env_lane.hpp"
#include "tenon/env_spec.hpp"
#include "tenon/guard.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
class EnvAdapter {
public:
    explicit EnvAdapter(const tn_create_args& args) : host_(args.host) {
        if (args.lanes == 0) {
            throw InvalidArgument("an env needs at least one lane");
        }
        lanes_.reserve(args.lanes);
        for (std::uint32_t lane = 0; lane < args.lanes; ++lane) {
            Lane& one = lanes_.emplace_back(*host_);
            configure(one.env, args);
            one.rng = Rng::of(*host_, args.key, 0, lane);
        }
        const T& first = lanes_[0].env;
        spec_ = first.spec();
        Lane::check(spec_);
        specs_ = SpecTable(spec_.all());
        if constexpr (requires { first.max_episode_steps; }) {
            limit_ = static_cast<std::int64_t>(first.max_episode_steps);
        }
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_env_api kEnv = {.struct_size = sizeof(tn_env_api),
                                            .flags = 0,
                                            .describe = &describe,
                                            .bind = &bind,
                                            .reset = &reset,
                                            .step = &step};
        if (interface == "tenon.env/1") {
            return &kEnv;
        }
        if constexpr (Savable<T>) {
            static constexpr tn_state_api kState = {
                .struct_size = sizeof(tn_state_api), .flags = 0, .save = &save, .load = &load};
            if (interface == "tenon.state/1") {
                return &kState;
            }
        }
        return nullptr;
    }

private:
    using Lane = EnvLane<T>;
    using Phase = typename Lane::Phase;

    static EnvAdapter& of(void* self) { return *static_cast<EnvAdapter*>(self); }

    static tn_status describe(void* self, tn_env_info* info) noexcept {
        EnvAdapter& env = of(self);
        info->determinism = is_deterministic() ? TN_DETERMINISM_BITS : TN_DETERMINISM_NONE;
        info->specs = env.specs_.data();
        info->spec_count = env.specs_.size();
        info->reserved = 0;
        info->episode_limit = env.limit_;
        return TN_OK;
    }

    static tn_status bind(void* self, const tn_env_buffers* buffers) noexcept {
        EnvAdapter& env = of(self);
        return guard(*env.host_, [&] {
            if (buffers->lanes != env.lanes_.size()) {
                throw InvalidArgument("bound with another number of lanes than made with");
            }
            env.columns_ =
                EnvColumns(env.spec_, {buffers->columns, buffers->column_count}, buffers->slots, buffers->lanes);
            env.slots_ = buffers->slots;
            env.lane_status_ = buffers->lane_status;
        });
    }

    static tn_status reset(void* self, std::uint32_t slot, const std::uint8_t* mask,
                           const std::uint64_t* seeds) noexcept {
        EnvAdapter& env = of(self);
        return guard(*env.host_, [&] {
            env.require_slot(slot);
            for (std::uint32_t i = 0; i < env.lanes_.size(); ++i) {
                if (mask != nullptr && mask[i] == 0) {
                    continue;
                }
                Lane& lane = env.lanes_[i];
                if (seeds != nullptr) {
                    lane.rng = Rng(*env.host_, {seeds[i], 0});
                }
                lane.phase = Phase::kParked;  // stays so if the author's reset throws
                lane.reset(env.columns_, i, slot);
                lane.steps = 0;
                lane.phase = Phase::kRunning;
                env.lane_status_[i] = TN_OK;
            }
        });
    }

    static tn_status step(void* self, const tn_env_step* call) noexcept {
        EnvAdapter& env = of(self);
        const tn_status ready = guard(*env.host_, [&] { env.require_range(*call); });
        if (ready != TN_OK) {
            return ready;
        }
        for (std::uint32_t i = call->first; i < call->first + call->count; ++i) {
            if (env.lanes_[i].phase == Phase::kParked) {
                continue;
            }
            if (env.lanes_[i].phase == Phase::kFresh) {
                return fail(*env.host_, TN_FAILED_PRECONDITION, "a lane was stepped before it was reset");
            }
            const tn_status status = guard(*env.host_, [&] { env.step_lane(i, call->slot, call->next_slot); });
            if (status != TN_OK) {
                env.park(i, status);
            }
        }
        return TN_OK;
    }

    void step_lane(std::uint32_t i, std::uint32_t slot, std::uint32_t next_slot) {
        Lane& lane = lanes_[i];
        const StepResult result = lane.step(columns_, i, slot, next_slot);
        ++lane.steps;
        const bool truncated = result.truncated || (limit_ > 0 && lane.steps >= limit_);
        write_reward(i, slot, result.reward);
        columns_.terminated.template scalar<bool>(slot, i) = result.terminated;
        columns_.truncated.template scalar<bool>(slot, i) = truncated;
        if (result.terminated || truncated) {
            for (std::size_t k = 0; k < columns_.observations.size(); ++k) {
                columns_.observations[k].copy_row_to(columns_.finals[k], next_slot, slot, i);
            }
            lane.reset(columns_, i, next_slot);
            lane.steps = 0;
        }
    }

    void write_reward(std::uint32_t lane, std::uint32_t slot, double reward) {
        if (columns_.reward.dtype() == TN_F64) {
            columns_.reward.template scalar<double>(slot, lane) = reward;
        } else {
            columns_.reward.template scalar<float>(slot, lane) = static_cast<float>(reward);
        }
    }

    // The sentence has gone to set_error; the host reports the lane with it.
    void park(std::uint32_t lane, tn_status status) noexcept {
        lanes_[lane].phase = Phase::kParked;
        lane_status_[lane] = static_cast<std::uint8_t>(status);
    }

    void require_slot(std::uint32_t slot) const {
        if (slots_ == 0) {
            throw FailedPrecondition("the env was used before its columns were bound");
        }
        if (slot >= slots_) {
            throw InvalidArgument("slot " + std::to_string(slot) + " does not exist");
        }
    }

    void require_range(const tn_env_step& call) const {
        require_slot(call.slot);
        require_slot(call.next_slot);
        if (call.first > lanes_.size() || call.count > lanes_.size() - call.first) {
            throw InvalidArgument("the env was asked to step lanes that do not exist");
        }
    }

    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) noexcept {
        return of(self).archive_lanes(first, count, Archive(*writer));
    }
    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) noexcept {
        return of(self).archive_lanes(first, count, Archive(*reader));
    }

    tn_status archive_lanes(std::uint32_t first, std::uint32_t count, Archive archive) noexcept {
        return guard(*host_, [&] {
            if (first > lanes_.size() || count > lanes_.size() - first) {
                throw InvalidArgument("state was asked for of lanes that do not exist");
            }
            for (Lane& lane : std::span(lanes_).subspan(first, count)) {
                archive(lane.rng, lane.steps, lane.phase);
                if (lane.phase > Phase::kParked || lane.steps < 0) {
                    lane.phase = Phase::kFresh;
                    throw DataLoss("saved state of the env is damaged");
                }
                archive_object(archive, lane.env);
            }
        });
    }

    static constexpr bool is_deterministic() {
        if constexpr (requires { T::deterministic; }) {
            return T::deterministic;
        } else {
            return true;
        }
    }

    const tn_host* host_;
    std::vector<Lane> lanes_;
    EnvSpec spec_;
    SpecTable specs_;
    std::int64_t limit_ = 0;
    EnvColumns columns_;
    std::uint32_t slots_ = 0;
    std::uint8_t* lane_status_ = nullptr;
};

}  // namespace TENON_SDK
}  // namespace tenon
