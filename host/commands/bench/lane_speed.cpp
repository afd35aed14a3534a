// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/lane_speed.hpp"

#include <chrono>
#include <utility>

#include "base/data/action_mask.hpp"
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "train/collect/random_actions.hpp"

namespace tenon {
namespace {

// Enough slots for varied actions, and few enough that the columns stay in the cache, as with a policy.
constexpr std::uint32_t kSlots = 32;

// `random`: chooses the actions of each step; null: they are those of the round before.
Status step_round(Lanes& lanes, const Storage& storage, const RandomActions* random, std::uint64_t round) {
    for (std::uint32_t i = 0; i < kSlots; ++i) {
        if (random != nullptr) {
            random->act(storage, round * kSlots + i);
        }
        TENON_TRY(lanes.step());
    }
    return {};
}

}  // namespace

Result<EnvBench> bench_env(Lanes& lanes, const Pool& pool, double seconds, std::uint64_t seed) {
    Storage storage = TENON_TRY(Storage::make(storage_columns(lanes.specs()), kSlots, lanes.count()));
    const RandomActions random(lanes.specs(), seed);
    // Which actions a mask allows is known only when they are chosen.
    const RandomActions* const each_time = action_masks(lanes.specs()).empty() ? nullptr : &random;
    const std::vector<std::uint64_t> seeds = lane_seeds(make_key(seed, "env"), lanes.count());
    lanes.trust();
    Status status = lanes.bind(storage);
    if (status) {
        status = lanes.reset(nullptr, seeds.data());
    }
    if (status) {
        status = step_round(lanes, storage, &random, 0);
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    EnvBench out{.lanes = lanes.count(), .threads = pool.threads()};
    for (std::uint64_t round = 1; status && out.seconds < seconds; ++round) {
        status = step_round(lanes, storage, each_time, round);
        out.frames += std::uint64_t{kSlots} * lanes.running();
        out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
    if (!status) {
        return std::move(status.error());
    }
    out.frames_per_s = out.seconds > 0 ? static_cast<double>(out.frames) / out.seconds : 0;
    return out;
}

}  // namespace tenon
