// SPDX-License-Identifier: Apache-2.0
// "tenon.wrapper/1", "tenon.env/1" and "tenon.state/1" for a wrapper written for one lane (wrapper.hpp). The inner env
// is stepped in rounds: every round steps all lanes that want another step, in as few calls as possible.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/abi/live.h"
#include "tenon/abi/plugin.h"
#include "tenon/abi/wrapper.h"
#include "tenon/bind_options.hpp"
#include "tenon/call_author.hpp"
#include "tenon/lane_flags.hpp"
#include "tenon/lane_of.hpp"
#include "tenon/live_options.hpp"
#include "tenon/random.hpp"
#include "tenon/saved.hpp"
#include "tenon/version.hpp"
#include "tenon/wrapper_columns.hpp"
#include "tenon/wrapper_row.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
class WrapperAdapter {
public:
    using Lane = typename LaneOf<T>::Type;

    explicit WrapperAdapter(const tn_create_args& args)
        : host_(args.host),
          stream_(args.key.stream),
          lanes_(args.lanes),
          idle_(args.lanes),
          fresh_(args.lanes),
          ends_(args.lanes),
          stays_(args.lanes),
          totals_(args.lanes) {
        if (args.lanes == 0) {
            throw InvalidArgument("a wrapper needs at least one lane");
        }
        configure(author_, args);
        for (std::uint32_t lane = 0; lane < args.lanes; ++lane) {
            rngs_.push_back(Rng::of(*args.host, args.key, 0, lane));
        }
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_wrapper_api kWrapper = {
            .struct_size = sizeof(tn_wrapper_api), .flags = 0, .attach = &attach};
        static constexpr tn_env_api kEnv = {.struct_size = sizeof(tn_env_api),
                                            .flags = 0,
                                            .describe = &describe,
                                            .bind = &bind,
                                            .reset = &reset,
                                            .step = &step};
        if (interface == "tenon.wrapper/1") {
            return &kWrapper;
        }
        if (interface == "tenon.env/1") {
            return &kEnv;
        }
        if constexpr (kHasLive) {
            static constexpr tn_live_api kLive = {.struct_size = sizeof(tn_live_api), .flags = 0, .set = &set};
            if (interface == "tenon.live/1") {
                return &kLive;
            }
        }
        if constexpr (Savable<Lane>) {
            if (interface == "tenon.state/1") {
                return StateInterface<WrapperAdapter>::table();
            }
        }
        return nullptr;
    }

    [[nodiscard]] const tn_host& host() const { return *host_; }
    void archive(Archive& archive, std::uint32_t first, std::uint32_t count) {
        for (Lane& lane : lanes_at(lanes_, first, count)) {
            if constexpr (kDraws) {
                archive(rngs_[static_cast<std::size_t>(&lane - lanes_.data())]);
            }
            archive_object(archive, lane);
        }
    }

private:
    static constexpr bool kActs = requires { &T::act; };
    static constexpr bool kSees = requires { &T::step; };
    static constexpr bool kBegins = requires { &T::begin; };
    static constexpr bool kObserves = requires { &T::observe; };
    static constexpr bool kDrawsEnds = requires { requires T::draws_ends; };
    static constexpr bool kCounts = requires(const T& author) { static_cast<std::int64_t>(author.steps); };

    template <auto Function>
    static constexpr bool returns_bool() {
        return std::same_as<typename Signature<decltype(Function)>::Result, bool>;
    }
    static constexpr bool decides() {
        if constexpr (kSees) {
            return returns_bool<&T::step>();
        }
        return false;
    }
    static constexpr bool steps_to_begin() {
        if constexpr (kBegins) {
            return returns_bool<&T::begin>();
        }
        return false;
    }
    static constexpr bool draws() {
        bool out = false;
        if constexpr (kActs) {
            out = out || has_argument<Rng&, &T::act>();
        }
        if constexpr (kSees) {
            out = out || has_argument<Rng&, &T::step>();
        }
        if constexpr (kBegins) {
            out = out || has_argument<Rng&, &T::begin>();
        }
        return out;
    }
    static constexpr bool may_stay() {
        if constexpr (kActs) {
            return returns_bool<&T::act>();
        }
        return false;
    }
    static constexpr bool kDecides = decides();
    static constexpr bool kMayStay = may_stay();
    static constexpr bool kStepsToBegin = steps_to_begin();
    static constexpr bool kDraws = draws();
    static constexpr WrapperHabits kHabits = {.writes_actions = kActs || kStepsToBegin,
                                              .steps_before_begin = kStepsToBegin};
    static_assert(!(kDecides && kCounts),
                  "a wrapper has a number of steps, or a step that returns whether to go on, not both");

    static_assert(live_options_have_members<T>(), TENON_LIVE_OPTION_NEEDS_A_MEMBER);

    static constexpr bool has_live() {
        bool out = false;
        for_each_option<T>([&](const auto& option, std::size_t) { out = out || option.live; });
        return out;
    }
    static constexpr bool kHasLive = has_live();

    using Event = WrapperRow::Event;

    // How a lane begins an outer episode: the inner env has begun one, too, or continues its own.
    enum Fresh : std::uint8_t { kNotFresh, kBegun, kGoesOn };

    static WrapperAdapter& of(void* self) { return *static_cast<WrapperAdapter*>(self); }

    [[gnu::cold]] static tn_status attach(void* self, const tn_wrapper_inner* inner) noexcept {
        of(self).inner_ = *inner;
        of(self).columns_.pictures = InnerPictures(*inner);
        return TN_OK;
    }

    [[gnu::cold]] static tn_status describe(void* self, tn_env_info* info) noexcept {
        WrapperAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] { return adapter.describe(*info); });
    }

    tn_status describe(tn_env_info& info) {
        if (inner_.env == nullptr) {
            throw FailedPrecondition("the wrapper was used before it was attached to an env");
        }
        tn_env_info inner{};
        inner.struct_size = sizeof inner;
        if (const tn_status status = inner_.env->describe(inner_.self, &inner); status != TN_OK) {
            return status;
        }
        columns_.read(inner);
        columns_.outer_spec = columns_.inner_spec;
        if constexpr (requires { author_.spec(columns_.inner_spec, columns_.pictures); }) {
            columns_.outer_spec = author_.spec(columns_.inner_spec, columns_.pictures);
        } else if constexpr (requires { author_.spec(columns_.inner_spec); }) {
            columns_.outer_spec = author_.spec(columns_.inner_spec);
        } else {
            static_assert(!requires { &T::spec; }, "spec of a wrapper is tenon::EnvSpec spec(tenon::EnvSpec inner)");
        }
        columns_.check(kActs, kObserves);
        specs_ = SpecTable(columns_.all());
        info.determinism = is_deterministic() ? inner.determinism : TN_DETERMINISM_NONE;
        info.specs = specs_.data();
        info.spec_count = specs_.size();
        info.reserved = 0;
        info.episode_limit = inner.episode_limit;  // an outer step takes at least one inner step
        if (info.struct_size >= offsetof(tn_env_info, flags) + sizeof info.flags) {
            info.flags = inner.flags;  // an env that wants all lanes at once gets them
        }
        return TN_OK;
    }

    [[gnu::cold]] static tn_status bind(void* self, const tn_env_buffers* buffers) noexcept {
        WrapperAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            constexpr std::size_t kNeeded = offsetof(tn_env_buffers, needs_reset) + sizeof buffers->needs_reset;
            if (buffers->struct_size < kNeeded || buffers->needs_reset == nullptr) {
                throw Unavailable("the host is too old for wrappers");
            }
            if (buffers->lanes != adapter.lanes_.size()) {
                throw InvalidArgument("bound with another number of lanes than created with");
            }
            if (adapter.specs_.size() == 0) {
                throw FailedPrecondition("the wrapper was bound before it was described");
            }
            adapter.columns_.bind(*buffers, kHabits);
            adapter.inner_buffers_ = *buffers;
            adapter.inner_buffers_.struct_size = sizeof adapter.inner_buffers_;
            adapter.inner_buffers_.columns = adapter.columns_.inner_columns.data();
            adapter.inner_buffers_.column_count = adapter.columns_.inner_columns.size();
            return adapter.inner_.env->bind(adapter.inner_.self, &adapter.inner_buffers_);
        });
    }

    static tn_status set(void* self, std::uint32_t number, double value) noexcept {
        bool is_found = false;
        for_each_option<T>([&]<auto Member, class Default>(const Option<Member, Default>& option, std::size_t index) {
            if constexpr (std::same_as<Default, double> && !std::same_as<decltype(Member), std::nullptr_t>) {
                if (option.live && index == number) {
                    of(self).author_.*Member = static_cast<MemberType<Member>>(value);
                    is_found = true;
                }
            }
        });
        return is_found ? TN_OK : TN_NOT_FOUND;
    }

    static tn_status reset(void* self, std::uint32_t slot, const std::uint8_t* mask,
                           const std::uint64_t* seeds) noexcept {
        WrapperAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] { return adapter.reset(slot, mask, seeds); });
    }

    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
        require(
            {.struct_size = sizeof(tn_env_step), .slot = slot, .next_slot = slot, .first = 0, .count = 0, .flags = 0});
        const auto count = static_cast<std::uint32_t>(lanes_.size());
        if (const tn_status status = inner_.env->reset(inner_.self, slot, mask, seeds); status != TN_OK) {
            return status;
        }
        for (std::uint32_t lane = 0; lane < count; ++lane) {
            const bool is_asked = mask == nullptr || mask[lane] != 0;
            if (is_asked && seeds != nullptr) {
                rngs_[lane] = Rng(*host_, {seeds[lane], stream_});
            }
            fresh_[lane] = is_asked ? kBegun : kNotFresh;
        }
        return begin(slot, slot, 0, count);
    }

    static tn_status step(void* self, const tn_env_step* call) noexcept {
        WrapperAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] { return adapter.step(*call); });
    }

    tn_status step(const tn_env_step& call) {
        require(call);
        prepare(call);
        const std::int64_t most = most_steps();
        for (std::int64_t k = 0; kDecides || k < most; ++k) {
            bool any = false;
            const tn_status status = each_run(call.first, call.count, [&](std::uint32_t first, std::uint32_t count) {
                any = true;
                return one_round(call, first, count, k);
            });
            if (status != TN_OK) {
                return status;
            }
            if (!any) {
                break;
            }
        }
        if (finish(call) && (kBegins || !columns_.shares_all)) {
            return begin(call.slot, call.next_slot, call.first, call.count);
        }
        return TN_OK;
    }

    void require(const tn_env_step& call) const {
        if (columns_.slots == 0) {
            throw FailedPrecondition("the wrapper was used before its columns were bound");
        }
        if (call.slot >= columns_.slots || call.next_slot >= columns_.slots) {
            throw InvalidArgument("the host named a slot that does not exist");
        }
        if (call.first > lanes_.size() || call.count > lanes_.size() - call.first) {
            throw InvalidArgument("the host named lanes that do not exist");
        }
    }

    [[nodiscard]] std::int64_t most_steps() const {
        if constexpr (kCounts) {
            return static_cast<std::int64_t>(author_.steps);
        } else {
            return 1;
        }
    }

    void prepare(const tn_env_step& call) {
        std::memcpy(&idle_[call.first], columns_.lane_status + call.first, call.count);
        std::fill_n(&totals_[call.first], call.count, 0.0);
        for (const auto& [outer, inner] : columns_.copied_actions) {
            for (std::uint32_t lane = call.first; lane < call.first + call.count; ++lane) {
                std::memcpy(inner.at(call.slot, lane), outer.at(call.slot, lane), outer.row_bytes());
            }
        }
        for (std::size_t i = 1; i < columns_.rewards.size(); ++i) {
            const Column& outer = columns_.rewards[i].second;
            for (std::uint32_t lane = call.first; lane < call.first + call.count; ++lane) {
                std::ranges::fill(outer.bytes(call.slot, lane), std::byte{0});
                columns_.presence[i].begin(call.slot, lane);
            }
        }
    }

    // Calls f(first, count) for every run of lanes that are not idle, until a call fails.
    template <class F>
    tn_status each_run(std::uint32_t first, std::uint32_t count, F&& f) {
        const std::uint32_t end = first + count;
        for (std::uint32_t at = next_clear(idle_.data(), first, end); at < end;) {
            const std::uint32_t last = next_set(idle_.data(), at, end);
            if (const tn_status status = f(at, last - at); status != TN_OK) {
                return status;
            }
            at = next_clear(idle_.data(), last, end);
        }
        return TN_OK;
    }

    // One step of the inner env in lanes that want it.
    tn_status one_round(const tn_env_step& call, std::uint32_t first, std::uint32_t count, std::int64_t k) {
        if constexpr (kActs) {
            for (std::uint32_t lane = first; lane < first + count; ++lane) {
                with_lane(lane, {.lane = lane, .slot = call.slot, .next_slot = call.next_slot, .steps = k},
                          [&](Lane& state, WrapperRow& row) {
                              if constexpr (kMayStay) {
                                  stays_[lane] =
                                      call_author<&T::act>(author_, state, row, std::as_const(row), rngs_[lane]) ? 0
                                                                                                                 : 1;
                                  idle_[lane] |= stays_[lane];
                              } else {
                                  call_author<&T::act>(author_, state, row, std::as_const(row), rngs_[lane]);
                              }
                          });
            }
        }
        const std::uint32_t flags = kDrawsEnds ? call.flags | TN_STEP_LEAVE_ENDS : call.flags;
        const tn_status status = each_run(first, count, [&](std::uint32_t begin, std::uint32_t n) {
            return step_inner(call.slot, call.next_slot, begin, n, flags);
        });
        if (status != TN_OK) {
            return status;
        }
        for (std::uint32_t lane = first; kMayStay && lane < first + count; ++lane) {
            stay(call.slot, lane);
        }
        return each_run(first, count, [&](std::uint32_t begin, std::uint32_t n) {
            note(call, begin, n, k);
            return tn_status{TN_OK};
        });
    }

    // If the author's act has said so, the step of the lane is one without the inner env: no reward and no end.
    void stay(std::uint32_t slot, std::uint32_t lane) {
        if (std::exchange(stays_[lane], std::uint8_t{0}) == 0) {
            return;
        }
        idle_[lane] = 0;
        for (const Column* const column : {&columns_.inner.terminated, &columns_.inner.truncated}) {
            column->template scalar<bool>(slot, lane) = false;
        }
        for (const auto& rewards : columns_.rewards) {
            if (rewards.first.elements() > 0) {
                std::ranges::fill(rewards.first.bytes(slot, lane), std::byte{0});
            }
        }
    }

    tn_status step_inner(std::uint32_t slot, std::uint32_t next_slot, std::uint32_t first, std::uint32_t count,
                         std::uint32_t flags) {
        const tn_env_step inner = {.struct_size = sizeof inner,
                                   .slot = slot,
                                   .next_slot = next_slot,
                                   .first = first,
                                   .count = count,
                                   .flags = flags};
        return inner_.env->step(inner_.self, &inner);
    }

    // Adds up what the step of a run has brought, and asks the author whether to go on.
    void note(const tn_env_step& call, std::uint32_t first, std::uint32_t count, std::int64_t k) {
        sum_rewards(call, first, count);
        const auto* const terminated = columns_.inner.terminated.rows(call.slot).template of<std::uint8_t>(0);
        const auto* const truncated = columns_.inner.truncated.rows(call.slot).template of<std::uint8_t>(0);
        merge_flags(&idle_[first], columns_.lane_status + first, terminated + first, truncated + first, count);
        if (!columns_.copied_finals.empty()) {
            copy_finals(call.slot, first, count);
        }
        if constexpr (kSees) {
            for (std::uint32_t lane = first; lane < first + count; ++lane) {
                if (columns_.lane_status[lane] != 0) {
                    continue;
                }
                const bool is_done = (terminated[lane] | truncated[lane]) != 0;
                with_lane(lane,
                          {.lane = lane,
                           .slot = call.slot,
                           .next_slot = call.next_slot,
                           .steps = k + 1,
                           .begins = false,
                           .inner_ended = is_done,
                           .outer_ended = is_done},
                          [&](Lane& state, WrapperRow& row) {
                              bool goes_on = true;
                              if constexpr (kDecides) {
                                  goes_on = call_author<&T::step>(author_, state, row, std::as_const(row), rngs_[lane]);
                              } else {
                                  call_author<&T::step>(author_, state, row, std::as_const(row), rngs_[lane]);
                              }
                              if (!goes_on || ends_[lane] != 0) {
                                  idle_[lane] = 1;
                              }
                          });
            }
        }
    }

    // Copies final observations before later steps of the call overwrite them. Such a step may end an episode within
    // the call.
    void copy_finals(std::uint32_t slot, std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            if (idle_[lane] == 0 || columns_.lane_status[lane] != 0) {
                continue;
            }
            for (const auto& [inner, outer] : columns_.copied_finals) {
                std::memcpy(outer.at(slot, lane), inner.at(slot, lane), inner.row_bytes());
            }
        }
    }

    void sum_rewards(const tn_env_step& call, std::uint32_t first, std::uint32_t count) {
        const std::uint32_t slot = call.slot;
        const Column& reward = columns_.inner.reward;
        const auto add = [&]<class E>(const E* from) {  // the wrapper's own column, which is dense
            double* const to = &totals_[first];
            for (std::uint32_t i = 0; i < count; ++i) {
                to[i] += static_cast<double>(from[i]);
            }
        };
        if (reward.elements() == 1 && reward.dtype() == TN_F32) {
            add(reward.rows(slot).template of<float>(first));
        } else if (reward.elements() == 1 && reward.dtype() == TN_F64) {
            add(reward.rows(slot).template of<double>(first));
        }
        for (std::size_t i = 1; i < columns_.rewards.size(); ++i) {
            const auto& [inner, outer] = columns_.rewards[i];
            Presence& presence = columns_.presence[i];
            with_dtype(inner.dtype(), [&](auto zero) {
                using E = decltype(zero);
                for (std::uint32_t lane = first; lane < first + count; ++lane) {
                    const auto from = inner.template row<const E>(slot, lane);
                    const auto to = outer.template row<E>(slot, lane);
                    for (std::size_t k = 0; k < to.size(); ++k) {
                        to[k] = presence.has(lane, k, to.size()) ? static_cast<E>(to[k] + from[k]) : to[k];
                    }
                    presence.leave(call.next_slot, lane);
                }
            });
        }
    }

    // Writes what belongs to all inner steps of the call together. Returns whether an episode of the inner env has
    // begun.
    bool finish(const tn_env_step& call) {
        const std::uint32_t end = call.first + call.count;
        const auto* const terminated = columns_.inner.terminated.rows(call.slot).template of<std::uint8_t>(0);
        const auto* const truncated = columns_.inner.truncated.rows(call.slot).template of<std::uint8_t>(0);
        std::memcpy(&idle_[call.first], columns_.lane_status + call.first, call.count);
        static_cast<void>(each_run(call.first, call.count, [&](std::uint32_t first, std::uint32_t count) {
            write_total(call.slot, first, count);
            copy_flags(terminated, columns_.outer.terminated, call.slot, first, count);
            copy_flags(truncated, columns_.outer.truncated, call.slot, first, count);
            return tn_status{TN_OK};
        }));
        merge_flags(&idle_[call.first], &ends_[call.first], terminated + call.first, truncated + call.first,
                    call.count);
        bool begun = false;
        for (std::uint32_t lane = next_set(idle_.data(), call.first, end); lane < end;
             lane = next_set(idle_.data(), lane + 1, end)) {
            if (columns_.lane_status[lane] == 0) {
                begun = end_episode(call, lane, (terminated[lane] | truncated[lane]) != 0) || begun;
            }
        }
        for (std::uint32_t lane = call.first; lane < end && !columns_.shares_all; ++lane) {
            if (columns_.lane_status[lane] == 0 && idle_[lane] == 0) {
                observe({.lane = lane, .slot = call.slot, .next_slot = call.next_slot, .steps = 1});
            }
        }
        return begun;
    }

    void write_total(std::uint32_t slot, std::uint32_t first, std::uint32_t count) const {
        if (columns_.outer.reward.elements() == 0) {
            return;
        }
        const ColumnRows rows = columns_.outer.reward.rows(slot);
        if (columns_.outer.reward.dtype() == TN_F32) {
            for (std::uint32_t lane = first; lane < first + count; ++lane) {
                *rows.of<float>(lane) = static_cast<float>(totals_[lane]);
            }
        } else {
            for (std::uint32_t lane = first; lane < first + count; ++lane) {
                *rows.of<double>(lane) = totals_[lane];
            }
        }
    }

    static void copy_flags(const std::uint8_t* from, const Column& to, std::uint32_t slot, std::uint32_t first,
                           std::uint32_t count) {
        const ColumnRows rows = to.rows(slot);
        if (rows.lane_stride == 1) {
            std::memcpy(rows.of<std::uint8_t>(first), from + first, count);
            return;
        }
        for (std::uint32_t lane = first; lane < first + count; ++lane) {
            *rows.of<std::uint8_t>(lane) = from[lane];
        }
    }

    // Writes the final observation. Returns whether the inner env has begun the next episode.
    bool end_episode(const tn_env_step& call, std::uint32_t lane, bool is_inner) {
        const std::uint8_t ends = std::exchange(ends_[lane], std::uint8_t{0});
        columns_.outer.terminated.template scalar<bool>(call.slot, lane) |= (ends & WrapperRow::kTerminates) != 0;
        columns_.outer.truncated.template scalar<bool>(call.slot, lane) |= (ends & WrapperRow::kTruncates) != 0;
        if (!columns_.shares_all) {
            observe({.lane = lane,
                     .slot = call.slot,
                     .next_slot = call.next_slot,
                     .steps = 1,
                     .begins = false,
                     .inner_ended = is_inner,
                     .outer_ended = true,
                     .is_left = !is_inner || columns_.needs_reset[lane] != 0});
        }
        if (is_inner) {
            fresh_[lane] = columns_.needs_reset[lane] == 0 ? kBegun : kNotFresh;
        } else {
            for (const std::size_t i : columns_.shared_observations) {
                columns_.outer.observations[i].copy_row_to(columns_.outer.finals[i], call.next_slot, call.slot, lane);
            }
            if ((ends & WrapperRow::kGoesOn) != 0) {
                fresh_[lane] = kGoesOn;
            } else {
                columns_.needs_reset[lane] = 1;
            }
        }
        for (std::size_t i = 0; i < columns_.outer.finals.size() && columns_.needs_reset[lane] != 0; ++i) {
            columns_.outer.finals[i].copy_row_to(columns_.outer.observations[i], call.slot, call.next_slot, lane);
        }
        return fresh_[lane] != kNotFresh;
    }

    // Lets the author's begin step the inner env in fresh lanes, until it has what it wants.
    tn_status begin(std::uint32_t slot, std::uint32_t next_slot, std::uint32_t first, std::uint32_t count) {
        const std::uint32_t end = first + count;
        for (std::uint32_t lane = first; lane < end; ++lane) {
            const bool is_fresh =
                fresh_[lane] != kNotFresh && columns_.lane_status[lane] == 0 && columns_.needs_reset[lane] == 0;
            fresh_[lane] = is_fresh ? fresh_[lane] : kNotFresh;
            idle_[lane] = is_fresh ? 0 : 1;
            if (is_fresh) {
                if constexpr (kStepsToBegin) {
                    for (const Column& action : columns_.inner.actions) {
                        std::ranges::fill(action.bytes(slot, lane), std::byte{0});
                    }
                }
                begin_lane(
                    {.lane = lane, .slot = slot, .next_slot = next_slot, .steps = 0, .begins = fresh_[lane] == kBegun});
            }
        }
        if constexpr (kStepsToBegin) {
            const tn_status status = step_to_begin(slot, next_slot, first, count);
            if (status != TN_OK) {
                return status;
            }
        }
        for (std::uint32_t lane = first; lane < end; ++lane) {
            if (fresh_[lane] != kNotFresh && columns_.lane_status[lane] == 0 && !columns_.shares_all) {
                observe({.lane = lane, .slot = slot, .next_slot = next_slot, .steps = 0, .begins = true});
            }
            fresh_[lane] = kNotFresh;
        }
        return TN_OK;
    }

    // A lane goes on until the author's begin returns false.
    void begin_lane(const Event& event) {
        if constexpr (kBegins) {
            with_lane(event.lane, event, [&](Lane& state, WrapperRow& row) {
                Rng& rng = rngs_[event.lane];
                if constexpr (kStepsToBegin) {
                    idle_[event.lane] = call_author<&T::begin>(author_, state, row, std::as_const(row), rng) ? 0 : 1;
                } else {
                    call_author<&T::begin>(author_, state, row, std::as_const(row), rng);
                }
            });
        }
    }

    tn_status step_to_begin(std::uint32_t slot, std::uint32_t next_slot, std::uint32_t first, std::uint32_t count) {
        const auto* const terminated = columns_.inner.terminated.rows(slot).template of<std::uint8_t>(0);
        const auto* const truncated = columns_.inner.truncated.rows(slot).template of<std::uint8_t>(0);
        for (bool any = true; any;) {
            any = false;
            const tn_status status = each_run(first, count, [&](std::uint32_t at, std::uint32_t n) {
                any = true;
                const tn_status stepped = step_inner(slot, next_slot, at, n, 0);
                for (std::uint32_t lane = at; lane < at + n && stepped == TN_OK; ++lane) {
                    idle_[lane] = columns_.lane_status[lane] | columns_.needs_reset[lane];
                    if (idle_[lane] == 0) {
                        begin_lane({.lane = lane,
                                    .slot = slot,
                                    .next_slot = next_slot,
                                    .steps = 0,
                                    .begins = (terminated[lane] | truncated[lane]) != 0});
                    }
                }
                return stepped;
            });
            if (status != TN_OK) {
                return status;
            }
        }
        return TN_OK;
    }

    void observe(const Event& event) {
        if constexpr (kObserves) {
            with_lane(event.lane, event, [&](Lane& state, WrapperRow& row) {
                call_author<&T::observe>(author_, state, row, std::as_const(row));
            });
        }
    }

    // Calls body with the lane's state and row; an exception parks the lane.
    template <class Body>
    void with_lane(std::uint32_t lane, const Event& event, Body&& body) {
        WrapperRow row(columns_, event, totals_[lane], ends_[lane]);
        try {
            std::forward<Body>(body)(lanes_[lane], row);
        } catch (...) {
            columns_.lane_status[lane] = static_cast<std::uint8_t>(fail_by_exception(*host_));
            idle_[lane] = 1;
        }
    }

    static constexpr bool is_deterministic() {
        if constexpr (requires { T::deterministic; }) {
            return T::deterministic;
        } else {
            return true;
        }
    }

    const tn_host* host_;
    std::uint64_t stream_;
    T author_{};
    std::vector<Lane> lanes_;
    std::vector<Rng> rngs_;  // [lane]
    tn_wrapper_inner inner_{};
    tn_env_buffers inner_buffers_{};
    WrapperColumns columns_;
    SpecTable specs_;
    // [lane] within a call
    std::vector<std::uint8_t> idle_;   // the lane takes no further inner step
    std::vector<Fresh> fresh_;         // whether an episode begins
    std::vector<std::uint8_t> ends_;   // the author ends the episode
    std::vector<std::uint8_t> stays_;  // the inner env is not stepped
    std::vector<double> totals_;       // reward
};

}  // namespace TENON_SDK
}  // namespace tenon
