// SPDX-License-Identifier: Apache-2.0
// "tenon.env/1", "tenon.env.async/1", "tenon.state/1", "tenon.render/1", "tenon.goal/1" and "tenon.device_env/1" around
// an env of any form (env.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tenon/abi/device_env.h"
#include "tenon/abi/env.h"
#include "tenon/abi/env_async.h"
#include "tenon/abi/goal.h"
#include "tenon/abi/plugin.h"
#include "tenon/abi/render.h"
#include "tenon/device_env.hpp"
#include "tenon/device_kinds.hpp"
#include "tenon/env_batch_lanes.hpp"
#include "tenon/env_binding.hpp"
#include "tenon/env_drawing.hpp"
#include "tenon/env_form.hpp"
#include "tenon/env_pack_lanes.hpp"
#include "tenon/env_single_lanes.hpp"
#include "tenon/env_spec.hpp"
#include "tenon/goal.hpp"
#include "tenon/guard.hpp"
#include "tenon/picture.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
struct ChooseLanes {
    using Type = std::conditional_t<SingleForm<T>::kFits, SingleLanes<T>, NoLanes>;
};
template <PackedEnv T>
struct ChooseLanes<T> {
    using Type = std::conditional_t<PackForm<T>::kFits, PackLanes<T>, NoLanes>;
};
template <BatchedEnv T>
struct ChooseLanes<T> {
    using Type = std::conditional_t<BatchForm<T>::kFits, BatchLanes<T>, NoLanes>;
};

template <class T>
class EnvAdapter : public std::conditional_t<EnvOnDevice<T>, OnCpuAndDevice, OnCpuAlone> {
public:
    explicit EnvAdapter(const tn_create_args& args) : lanes_((check(args), args)) {
        bound_.host = args.host;
        bound_.phases.assign(args.lanes, LanePhase::kFresh);
        const auto& author = lanes_.author();
        spec_ = author.spec();
        try {
            Lanes::check(spec_);
            specs_ = SpecTable(spec_.all());
        } catch (const InvalidArgument& error) {
            throw Error(TN_INTERNAL, error.what());  // the author's mistake, not one of the given options
        }
        if constexpr (requires { author.max_episode_steps; }) {
            bound_.limit = static_cast<std::int64_t>(author.max_episode_steps);
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
        if constexpr (kAnswersLater) {
            static constexpr tn_env_async_api kAsync = {.struct_size = sizeof(tn_env_async_api),
                                                        .flags = 0,
                                                        .describe = &describe_async,
                                                        .submit = &submit,
                                                        .poll = &poll};
            if (interface == "tenon.env.async/1") {
                return &kAsync;
            }
        }
        if constexpr (Lanes::kSavable) {
            static constexpr tn_state_api kState = {
                .struct_size = sizeof(tn_state_api), .flags = 0, .save = &save, .load = &load};
            if (interface == "tenon.state/1") {
                return &kState;
            }
        }
        if constexpr (kDraws) {
            static constexpr tn_render_api kRender = {
                .struct_size = sizeof(tn_render_api), .flags = 0, .describe = &describe_picture, .draw = &draw};
            if (interface == "tenon.render/1") {
                return &kRender;
            }
        }
        if constexpr (kJudges) {
            static constexpr tn_goal_api kGoal = {
                .struct_size = sizeof(tn_goal_api), .flags = 0, .describe = &describe_goals, .judge = &judge};
            if (interface == "tenon.goal/1") {
                return &kGoal;
            }
        }
        if constexpr (kOnDevice) {
            static constexpr tn_device_env_api kDevice = {.struct_size = sizeof(tn_device_env_api),
                                                          .flags = 0,
                                                          .open = &open,
                                                          .enqueue_reset = &enqueue_reset,
                                                          .enqueue_step = &enqueue_step};
            if (interface == "tenon.device_env/1") {
                return &kDevice;
            }
        }
        return nullptr;
    }

private:
    using Lanes = typename ChooseLanes<T>::Type;
    static constexpr bool kAnswersLater = !std::same_as<Lanes, NoLanes> && BatchedEnv<T> && AsyncEnv<T>;
    static constexpr bool kDraws = !std::same_as<Lanes, NoLanes> && DrawingForm<T>::kDraws;
    static constexpr bool kJudges = !std::same_as<Lanes, NoLanes> && GoalForm<T>::kJudges;
    static constexpr bool kOnDevice = !std::same_as<Lanes, NoLanes> && EnvOnDevice<T>;

    static EnvAdapter& of(void* self) { return *static_cast<EnvAdapter*>(self); }

    static void check(const tn_create_args& args) {
        if (args.lanes == 0) {
            throw InvalidArgument("an env needs at least one lane");
        }
    }

    static tn_status describe(void* self, tn_env_info* info) noexcept {
        EnvAdapter& env = of(self);
        info->determinism = is_deterministic() ? TN_DETERMINISM_BITS : TN_DETERMINISM_NONE;
        info->specs = env.specs_.data();
        info->spec_count = env.specs_.size();
        info->reserved = 0;
        if (info->struct_size >= offsetof(tn_env_info, flags) + sizeof(info->flags)) {
            info->flags = Lanes::kAllLanes ? TN_ENV_ALL_LANES : 0;
        }
        info->episode_limit = env.bound_.limit;
        return TN_OK;
    }

    static tn_status bind(void* self, const tn_env_buffers* buffers) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] {
            if (buffers->lanes != env.bound_.phases.size()) {
                throw InvalidArgument("bound with another number of lanes than created with");
            }
            env.bound_.columns =
                EnvColumns(env.spec_, {buffers->columns, buffers->column_count}, buffers->slots, buffers->lanes);
            env.bound_.slots = buffers->slots;
            env.bound_.lane_status = buffers->lane_status;
            constexpr std::size_t kOffered = offsetof(tn_env_buffers, needs_reset) + sizeof buffers->needs_reset;
            env.bound_.needs_reset = buffers->struct_size < kOffered ? nullptr : buffers->needs_reset;
        });
    }

    static tn_status reset(void* self, std::uint32_t slot, const std::uint8_t* mask,
                           const std::uint64_t* seeds) noexcept {
        EnvAdapter& env = of(self);
        const tn_status ready = env.guarded([&] { env.require_slot(slot); });
        if (ready != TN_OK) {
            return ready;
        }
        if constexpr (requires { env.lanes_.reset_lanes(env.bound_, slot, mask, seeds); }) {
            return env.lanes_.reset_lanes(env.bound_, slot, mask, seeds);
        } else {
            env.reset_each(slot, mask, seeds);
            return TN_OK;
        }
    }

    void reset_each(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        for (std::uint32_t lane = 0; lane < bound_.phases.size(); ++lane) {
            if (mask != nullptr && mask[lane] == 0) {
                continue;
            }
            const tn_status status = guarded([&] { reset_lane(lane, slot, seeds); });
            if (status != TN_OK) {
                bound_.park(lane, status);
            }
        }
    }

    void reset_lane(std::uint32_t lane, std::uint32_t slot, const std::uint64_t* seeds) {
        if (seeds != nullptr) {
            lanes_.rng(lane) = Rng(*bound_.host, {seeds[lane], 0});
        }
        lanes_.reset(bound_, lane, slot);
        bound_.phases[lane] = LanePhase::kRunning;
        bound_.lane_status[lane] = TN_OK;
    }

    static tn_status step(void* self, const tn_env_step* call) noexcept {
        EnvAdapter& env = of(self);
        if (!env.is_ready(*call)) [[unlikely]] {
            const tn_status ready = env.guarded([&] { env.require_ready(*call); });
            if (ready != TN_OK) {
                return ready;
            }
        }
        env.lanes_.step(env.bound_, *call);
        return TN_OK;
    }

    static tn_status describe_async(void* self, tn_env_async_info* info) noexcept {
        const EnvAdapter& env = of(self);
        return env.guarded([&] {
            info->at_once = 0;
            if constexpr (requires { env.lanes_.author().at_once(); }) {
                info->at_once = env.lanes_.author().at_once();
            }
        });
    }

    static tn_status submit(void* self, const tn_env_submit* call) noexcept {
        EnvAdapter& env = of(self);
        const tn_status ready = env.guarded([&] {
            env.require_slot(call->slot);
            for (std::uint32_t i = 0; i < call->count; ++i) {
                env.require_lanes(call->lanes[i], 1);
            }
        });
        return ready == TN_OK ? env.lanes_.submit(env.bound_, *call) : ready;
    }

    static tn_status poll(void* self, tn_env_poll* call) noexcept {
        EnvAdapter& env = of(self);
        const tn_status ready = env.guarded([&] {
            env.require_slot(call->slot);
            env.require_slot(call->next_slot);
        });
        return ready == TN_OK ? env.lanes_.poll(env.bound_, *call) : ready;
    }

    // Whether the call needs no further checks. False need not be an error: lanes may be parked.
    [[nodiscard]] bool is_ready(const tn_env_step& call) const {
        const std::size_t lanes = bound_.phases.size();
        return call.slot < bound_.slots && call.next_slot < bound_.slots && call.first <= lanes &&
               call.count <= lanes - call.first && bound_.all_run(call.first, call.count);
    }

    void require_slot(std::uint32_t slot) const {
        if (bound_.slots == 0) {
            throw FailedPrecondition("the env was used before its columns were bound");
        }
        if (slot >= bound_.slots) {
            throw InvalidArgument("slot " + std::to_string(slot) + " does not exist");
        }
    }

    void require_lanes(std::uint32_t first, std::uint32_t count) const {
        if (first > bound_.phases.size() || count > bound_.phases.size() - first) {
            throw InvalidArgument("the host named lanes that do not exist");
        }
    }

    void require_ready(const tn_env_step& call) const {
        require_slot(call.slot);
        require_slot(call.next_slot);
        require_lanes(call.first, call.count);
        if (bound_.any(LanePhase::kFresh, call.first, call.count)) {
            throw FailedPrecondition("a lane was stepped before it was reset");
        }
    }

    static tn_status save(void* self, std::uint32_t first, std::uint32_t count, const tn_writer* writer) noexcept {
        return of(self).archive_lanes(first, count, Archive(*writer));
    }
    static tn_status load(void* self, std::uint32_t first, std::uint32_t count, const tn_reader* reader) noexcept {
        return of(self).archive_lanes(first, count, Archive(*reader));
    }

    tn_status archive_lanes(std::uint32_t first, std::uint32_t count, Archive archive) noexcept {
        return guarded([&] {
            require_lanes(first, count);
            read_device();
            for (std::uint32_t lane = first; lane < first + count; ++lane) {
                LanePhase phase = bound_.phases[lane];
                if (archive.loading()) {
                    bound_.phases[lane] = LanePhase::kFresh;  // keeps this value if the bytes are damaged
                }
                archive(phase);
                lanes_.archive(archive, lane);
                if (phase > LanePhase::kParked) {
                    throw DataLoss("saved state of the env is damaged");
                }
                bound_.phases[lane] = phase;
            }
            if constexpr (kOnDevice) {
                if (archive.loading() && on_device_.is_open()) {
                    on_device_.write(lanes_);
                }
            }
        });
    }

    static tn_status open(void* self, const tn_device_env_room* room) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] {
            if (room->lanes != env.bound_.phases.size()) {
                throw InvalidArgument("opened with another number of lanes than created with");
            }
            env.on_device_.open(*room, env.spec_, env.bound_.limit, env.lanes_);
        });
    }

    static tn_status enqueue_reset(void* self, const tn_device_env_call* call, const std::uint8_t* mask,
                                   const std::uint64_t* seeds) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] {
            env.require_lanes(call->first, call->count);
            env.on_device_.enqueue_reset(env.lanes_.author(), *call, mask, seeds);
            std::fill(env.bound_.phases.begin(), env.bound_.phases.end(), LanePhase::kRunning);  // the first is of all
        });
    }

    static tn_status enqueue_step(void* self, const tn_device_env_call* call) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] {
            env.require_lanes(call->first, call->count);
            env.on_device_.enqueue_step(env.lanes_.author(), *call);
        });
    }

    // Afterwards the lanes on the host equal those on the device, if the env has any on one.
    void read_device() {
        if constexpr (kOnDevice) {
            if (on_device_.is_open()) {
                on_device_.read(lanes_);
            }
        }
    }

    static tn_status describe_picture(void* self, tn_picture_info* info) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] {
            const PictureSize size = env.lanes_.author().picture();
            if (size.height == 0 || size.width == 0) {
                throw Error(TN_INTERNAL, "picture() says that a picture has no pixels");
            }
            info->height = size.height;
            info->width = size.width;
            info->reserved = 0;
            info->steps_per_second = size.steps_per_second;
        });
    }

    static tn_status draw(void* self, std::uint32_t lane, std::uint8_t* pixels) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] {
            env.require_lanes(lane, 1);
            if (env.bound_.phases[lane] != LanePhase::kRunning) {
                throw FailedPrecondition("a lane was drawn before it was reset, or after it was parked");
            }
            env.read_device();
            const PictureSize size = env.lanes_.author().picture();
            Picture picture({pixels, std::size_t{3} * size.height * size.width}, size.height, size.width);
            env.lanes_.draw(lane, picture);
        });
    }

    static tn_status describe_goals(void* self, tn_goal_info* info) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] {
            env.goals_ = goal_columns(std::as_const(env.lanes_).author(), env.spec_);
            info->column_count = static_cast<std::uint32_t>(env.goals_.keys.size());
            info->achieved = to_str(env.goals_.goals.achieved);
            info->desired = to_str(env.goals_.goals.desired);
            info->columns = env.goals_.keys.empty() ? nullptr : env.goals_.keys.data();
        });
    }

    static tn_status judge(void* self, const tn_goal_call* call) noexcept {
        EnvAdapter& env = of(self);
        return env.guarded([&] { judge_rows(env.lanes_.author(), env.goals_, *call); });
    }

    template <class Body>
    tn_status guarded(Body&& body) const noexcept {
        return guard(*bound_.host, std::forward<Body>(body));
    }

    static constexpr bool is_deterministic() {
        if constexpr (requires { T::deterministic; }) {
            return T::deterministic;
        } else {
            return true;
        }
    }

    Lanes lanes_;
    [[no_unique_address]] std::conditional_t<kOnDevice, DeviceLanes<T>, NoDeviceLanes> on_device_;
    EnvBinding bound_;
    EnvSpec spec_;
    SpecTable specs_;
    [[no_unique_address]] std::conditional_t<kJudges, GoalColumns, NoGoals> goals_;  // since describe_goals
};

}  // namespace TENON_SDK
}  // namespace tenon
