// SPDX-License-Identifier: Apache-2.0
// The lanes of an env that steps a pack of them at once (env.hpp): one object of the author's, and the lanes' numbers
// in blocks of one pack each. The results of a lane do not depend on its position in a block or on its neighbours.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/env.h"
#include "tenon/abi/plugin.h"
#include "tenon/bind_options.hpp"
#include "tenon/device_lane.hpp"
#include "tenon/env_binding.hpp"
#include "tenon/env_lane.hpp"
#include "tenon/guard.hpp"
#include "tenon/pack.hpp"
#include "tenon/picture.hpp"
#include "tenon/signature.hpp"
#include "tenon/state.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The number of packs in a Pack or in an array of them; 0 for other types.
template <class A>
inline constexpr std::size_t kPacksIn = std::same_as<A, Pack> ? 1 : 0;
template <std::size_t N>
inline constexpr std::size_t kPacksIn<std::array<Pack, N>> = N;

template <class T>
concept PackedEnv = requires { typename T::State; } && kPacksIn<typename T::State> > 0;

template <PackedEnv T>
class PackLanes {
public:
    static constexpr bool kSavable = true;
    static constexpr bool kAllLanes = false;

    explicit PackLanes(const tn_create_args& args) : blocks_((args.lanes + kWidth - 1) / kWidth) {
        configure(env_, args);
        rngs_.reserve(args.lanes);
        for (std::uint32_t lane = 0; lane < args.lanes; ++lane) {
            rngs_.push_back(Rng::of(*args.host, args.key, 0, lane));
        }
    }

    [[nodiscard]] const T& author() const { return env_; }
    [[nodiscard]] T& author() { return env_; }

    // Throws if the author's functions and spec() do not match.
    static void check(const EnvSpec& spec) {
        check_single(spec.observations, "an env of packs", "observation", TN_F32, std::tuple_size_v<Observation>);
        const bool is_choice = !spec.actions.empty() && spec.actions[0].kind == TN_SPEC_CATEGORICAL;
        check_single(spec.actions, "an env of packs", "action", is_choice ? TN_I64 : TN_F32, kActions);
        if (!spec.extras.empty()) {
            throw InvalidArgument("an env of packs cannot have extras");
        }
        if (!spec.has_reward()) {
            throw InvalidArgument("an env of packs needs a reward");
        }
    }

    [[nodiscard]] Rng& rng(std::uint32_t lane) { return rngs_[lane]; }

    void reset(const EnvBinding& bound, std::uint32_t lane, std::uint32_t slot) {
        begin(lane, bound.columns.observations[0].rows(slot).template of<float>(lane));
    }

    void step(EnvBinding& bound, const tn_env_step& call) noexcept {
        if (bound.columns.reward.dtype() == TN_F64) {
            step_as<double>(bound, call);
        } else {
            step_as<float>(bound, call);
        }
    }

    void draw(std::uint32_t lane, Picture& picture) const {
        const Block& block = blocks_[lane / kWidth];
        std::array<double, kNumbers> numbers;
        for (std::size_t k = 0; k < kNumbers; ++k) {
            numbers[k] = block.state[k][lane % kWidth];
        }
        env_.draw(std::span<const double, kNumbers>(numbers), picture);
    }

    void archive(Archive& archive, std::uint32_t lane) {
        Block& block = blocks_[lane / kWidth];
        auto steps = static_cast<std::int64_t>(block.steps[lane % kWidth]);
        archive(rngs_[lane], steps);
        if (steps < 0) {
            throw DataLoss("saved state of the env is damaged");
        }
        block.steps[lane % kWidth] = static_cast<double>(steps);
        for (auto& number : block.state) {
            archive(number[lane % kWidth]);
        }
    }

    // The lane as kernels have it (device_env.hpp).
    template <class Lane>
    void give(std::uint32_t lane, Lane& out) const {
        const Block& block = blocks_[lane / kWidth];
        for (std::size_t k = 0; k < kNumbers; ++k) {
            out.state[k] = block.state[k][lane % kWidth];
        }
        give_rest(rngs_[lane], static_cast<std::int64_t>(block.steps[lane % kWidth]), out);
    }
    template <class Lane>
    void take(std::uint32_t lane, const Lane& from) {
        Block& block = blocks_[lane / kWidth];
        for (std::size_t k = 0; k < kNumbers; ++k) {
            block.state[k][lane % kWidth] = from.state[k];
        }
        rngs_[lane].set_state({from.key, from.counter});
        block.steps[lane % kWidth] = static_cast<double>(from.steps);
    }

private:
    using State = typename T::State;
    using Action = std::remove_cvref_t<std::tuple_element_t<1, typename Signature<decltype(&T::step)>::Arguments>>;
    static constexpr std::uint32_t kWidth = kPackLanes;
    static constexpr std::size_t kNumbers = std::tuple_size_v<State>;
    static constexpr std::size_t kActions = kPacksIn<Action>;

    static constexpr bool kObserves = requires(const T& env, const State& state) { env.observe(state); };
    static auto observe(const T& env, const State& state) {
        if constexpr (kObserves) {
            return env.observe(state);
        } else {
            return state;
        }
    }
    using Observation = decltype(observe(std::declval<const T&>(), std::declval<const State&>()));

    // Separate objects per lane, because threads may work on lanes of one block at the same time.
    struct Block {
        using Numbers = std::array<double, kPackLanes>;
        std::array<Numbers, kNumbers> state = {};
        Numbers steps = {};
    };
    using Numbers = typename Block::Numbers;

    // The rows of a step.
    struct Rows {
        ColumnRows action, reward, terminated, truncated, last, next;

        Rows(const EnvColumns& columns, const tn_env_step& call)
            : action(columns.actions[0].rows(call.slot)),
              reward(columns.reward.rows(call.slot)),
              terminated(columns.terminated.rows(call.slot)),
              truncated(columns.truncated.rows(call.slot)),
              last(columns.finals[0].rows(call.slot)),
              next(columns.observations[0].rows(call.next_slot)) {}
    };

    // A lane's row of kElements elements. With kDense the rows are contiguous, so the compiler knows the stride.
    template <class E, bool kDense, std::size_t kElements = 1>
    static E* row_of(const ColumnRows& rows, std::size_t lane) {
        if constexpr (kDense) {
            return static_cast<E*>(static_cast<void*>(rows.data)) + lane * kElements;
        } else {
            return rows.template of<E>(static_cast<std::uint32_t>(lane));
        }
    }

    template <class Reward>
    static bool are_dense(const Rows& rows, std::int64_t choices) {
        const std::size_t action = choices > 0 ? sizeof(std::int64_t) : kActions * sizeof(float);
        const auto has = [](const ColumnRows& column, std::size_t bytes) {
            return column.lane_stride == static_cast<std::ptrdiff_t>(bytes);
        };
        return has(rows.action, action) && has(rows.reward, sizeof(Reward)) && has(rows.terminated, sizeof(bool)) &&
               has(rows.truncated, sizeof(bool)) && has(rows.next, sizeof(float) * std::tuple_size_v<Observation>);
    }

    // Steps all lanes before it looks for finished episodes: a branch in between would wait for the results of a block,
    // and each misprediction would discard the work begun on the next blocks.
    template <class Reward>
    void step_as(EnvBinding& bound, const tn_env_step& call) noexcept {
        const Rows rows(bound.columns, call);
        const double limit = bound.limit > 0 ? static_cast<double>(bound.limit) : INFINITY;
        const bool all_run = bound.all_run(call.first, call.count);
        const bool dense = are_dense<Reward>(rows, bound.columns.choices);
        const std::uint32_t end = call.first + call.count;
        for (std::uint32_t lane = call.first; lane < end;) {
            const std::uint32_t count = std::min(end - lane, kWidth);
            const bool together = all_run && lane % kWidth == 0 && count > 1;  // a single lane needs no pack
            const bool whole = dense && count == kWidth;
            if (together && (whole ? step_block<Reward, true>(bound, rows, limit, lane, kWidth)
                                   : step_block<Reward, false>(bound, rows, limit, lane, count))) {
                lane += count;
            } else {
                step_lane<Reward>(bound, rows, limit, lane++);
            }
        }
        const bool leaves_ends = bound.leaves_ends(call);
        for (std::uint32_t lane = call.first; lane < end; ++lane) {
            while (end - lane > kFlags && none_done(rows, lane)) {
                lane += kFlags;
            }
            if (bound.phases[lane] != LanePhase::kRunning) {
                continue;  // its flags were not written
            }
            if (*rows.terminated.template of<bool>(lane) || *rows.truncated.template of<bool>(lane)) {
                end_episode(bound, lane, rows, leaves_ends);
            }
        }
    }

    static constexpr std::uint32_t kFlags = sizeof(std::uint64_t);

    // Whether the episodes of kFlags lanes from `lane` on all continue. Also false if the flags are not contiguous.
    static bool none_done(const Rows& rows, std::uint32_t lane) {
        if (rows.terminated.lane_stride != 1 || rows.truncated.lane_stride != 1) {
            return false;
        }
        std::uint64_t terminated = 0;
        std::uint64_t truncated = 0;
        std::memcpy(&terminated, rows.terminated.template of<std::byte>(lane), kFlags);
        std::memcpy(&truncated, rows.truncated.template of<std::byte>(lane), kFlags);
        return (terminated | truncated) == 0;
    }

    void end_episode(EnvBinding& bound, std::uint32_t lane, const Rows& rows, bool leaves_ends) noexcept {
        auto* const next = rows.next.template of<float>(lane);
        std::memcpy(rows.last.template of<float>(lane), next, sizeof(float) * std::tuple_size_v<Observation>);
        if (leaves_ends) {
            bound.needs_reset[lane] = 1;
            return;
        }
        const tn_status status = guard(*bound.host, [&] { begin(lane, next); });
        if (status != TN_OK) {
            bound.park(lane, status);
        }
    }

    // Steps the first `count` lanes of a block; with kWhole all of them, with dense rows. If there are fewer, the last
    // lane fills the rest of the pack. Returns false, having changed nothing, if a lane needs individual treatment: its
    // action is invalid, or the author's step throws.
    template <class Reward, bool kWhole>
    [[gnu::flatten]] bool step_block(EnvBinding& bound, const Rows& rows, double limit, std::uint32_t first,
                                     std::uint32_t count) noexcept {
        Action action;
        if (!read_actions<kWhole>(rows.action, first, kWhole ? kWidth : count, bound.columns.choices, action))
            [[unlikely]] {
            return false;
        }
        Block& block = blocks_[first / kWidth];
        State state;
        unrolled<kNumbers>([&](auto k) { state[k] = kWhole ? load(block.state[k]) : gathered(block.state[k], count); });
        PackResult result;
        Observation seen;
        try {
            result = std::as_const(env_).step(state, action);
            seen = observe(env_, state);
        } catch (...) {
            return false;
        }
        const Pack steps = (kWhole ? load(block.steps) : gathered(block.steps, count)) + 1;
        result.truncated = result.truncated | (steps >= limit);
        if constexpr (kWhole) {
            unrolled<kNumbers>([&](auto k) { store(block.state[k], state[k]); });
            store(block.steps, steps);
            unrolled<kWidth>([&](auto i) { write<Reward, true>(rows, first + i, result, seen, i); });
        } else {  // another thread may be using the block's other lanes
            unrolled<kWidth>([&](auto i) {
                if (i < count) {
                    unrolled<kNumbers>([&](auto k) { block.state[k][i] = state[k][i]; });
                    block.steps[i] = steps[i];
                    write<Reward, false>(rows, first + i, result, seen, i);
                }
            });
        }
        return true;
    }

    template <class Reward>
    void step_lane(EnvBinding& bound, const Rows& rows, double limit, std::uint32_t lane) noexcept {
        if (bound.phases[lane] == LanePhase::kParked) {
            return;
        }
        const tn_status status = guard(*bound.host, [&] { step_one<Reward>(bound, rows, limit, lane); });
        if (status != TN_OK) {
            bound.park(lane, status);
        }
    }

    template <class Reward>
    [[gnu::flatten]] void step_one(const EnvBinding& bound, const Rows& rows, double limit, std::uint32_t lane) {
        Action action;
        if (!read_actions<false>(rows.action, lane, 1, bound.columns.choices, action)) {
            refuse_action(*rows.action.template of<std::int64_t>(lane), bound.columns.choices);
        }
        Block& block = blocks_[lane / kWidth];
        const std::uint32_t at = lane % kWidth;
        State state;
        unrolled<kNumbers>([&](auto k) { state[k] = block.state[k][at]; });
        PackResult result = std::as_const(env_).step(state, action);
        const Observation seen = observe(env_, state);
        unrolled<kNumbers>([&](auto k) { block.state[k][at] = state[k][0]; });
        block.steps[at] += 1;
        result.truncated = result.truncated | (Pack(block.steps[at]) >= limit);
        write<Reward, false>(rows, lane, result, seen, 0);
    }

    void begin(std::uint32_t lane, float* observation) {
        std::array<double, kNumbers> numbers = {};
        std::as_const(env_).reset(rngs_[lane], std::span(numbers));
        Block& block = blocks_[lane / kWidth];
        for (std::size_t k = 0; k < kNumbers; ++k) {
            block.state[k][lane % kWidth] = numbers[k];
        }
        block.steps[lane % kWidth] = 0;
        if constexpr (kObserves) {
            State state;
            std::ranges::copy(numbers, state.begin());
            write(observation, observe(env_, state), 0);
        } else {
            std::ranges::transform(numbers, observation, [](double number) { return static_cast<float>(number); });
        }
    }

    static Pack load(const Numbers& from) {
        Pack out;
        unrolled<kPackRegisters>([&](auto i) { std::memcpy(&out.part[i], &from[2 * i], sizeof out.part[i]); });
        return out;
    }
    static void store(Numbers& to, const Pack& from) {
        unrolled<kPackRegisters>([&](auto i) { std::memcpy(&to[2 * i], &from.part[i], sizeof from.part[i]); });
    }

    // The first numbers of a block, padded with the last one.
    static Pack gathered(const Numbers& from, std::uint32_t count) {
        return Pack::made([&](auto i) {
            const auto first = static_cast<std::uint32_t>(2 * i);
            return PackRegister{from[std::min(first, count - 1)], from[std::min(first + 1, count - 1)]};
        });
    }

    // The actions of that many contiguous lanes, padded with the last one. False if one is not a valid choice.
    template <bool kDense>
    static bool read_actions(const ColumnRows& rows, std::size_t first, std::size_t count, std::int64_t choices,
                             Action& action) {
        const auto gather = [&](auto&& of) {
            return Pack(Pack::made([&](auto i) {
                return PackRegister{of(first + std::min<std::size_t>(2 * i, count - 1)),
                                    of(first + std::min<std::size_t>(2 * i + 1, count - 1))};
            }));
        };
        if constexpr (std::same_as<Action, Pack>) {
            if (choices > 0) {
                bool exist = true;
                action = gather([&](std::size_t lane) {
                    const std::int64_t choice = *row_of<std::int64_t, kDense>(rows, lane);
                    exist = exist & (static_cast<std::uint64_t>(choice) < static_cast<std::uint64_t>(choices));
                    return static_cast<double>(choice);
                });
                return exist;
            }
            action = gather([&](std::size_t lane) { return double{*row_of<float, kDense>(rows, lane)}; });
        } else {
            for (std::size_t k = 0; k < kActions; ++k) {
                action[k] =
                    gather([&](std::size_t lane) { return double{row_of<float, kDense, kActions>(rows, lane)[k]}; });
            }
        }
        return true;
    }

    // Writes lane i of the packs to a row.
    template <class Reward, bool kDense>
    static void write(const Rows& rows, std::size_t row, const PackResult& result, const Observation& seen,
                      std::size_t i) {
        *row_of<Reward, kDense>(rows.reward, row) = static_cast<Reward>(result.reward[i]);
        *row_of<bool, kDense>(rows.terminated, row) = result.terminated[i];
        *row_of<bool, kDense>(rows.truncated, row) = result.truncated[i];
        write(row_of<float, kDense, std::tuple_size_v<Observation>>(rows.next, row), seen, i);
    }

    static void write(float* row, const Observation& values, std::size_t lane) {
        constexpr std::size_t kValues = std::tuple_size_v<Observation>;
        using Two = float __attribute__((vector_size(8)));
        unrolled<kValues / 2>([&](auto k) {  // converting two numbers costs what one does
            const PackRegister pair = {values[2 * k][lane], values[2 * k + 1][lane]};
            const Two two = __builtin_convertvector(pair, Two);
            std::memcpy(row + 2 * k, &two, sizeof two);
        });
        if constexpr (kValues % 2 != 0) {
            row[kValues - 1] = static_cast<float>(values[kValues - 1][lane]);
        }
    }

    T env_{};
    std::vector<Rng> rngs_;
    std::vector<Block> blocks_;
};

}  // namespace TENON_SDK
}  // namespace tenon
