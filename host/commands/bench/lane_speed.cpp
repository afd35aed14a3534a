// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/lane_speed.hpp"

#include <chrono>
#include <utility>

#include "base/data/spec_values.hpp"
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"

namespace tenon {
namespace {

// Enough slots for varied actions, and few enough that the columns stay in the cache, as with a policy.
constexpr std::uint32_t kSlots = 32;

Status step_round(Lanes& lanes) {
    for (std::uint32_t i = 0; i < kSlots; ++i) {
        TENON_TRY(lanes.step());
    }
    return {};
}

// Fills the action columns of all slots with valid random actions.
void draw_actions(const Composite& specs, Storage& storage, std::uint64_t seed) {
    for (const Spec& spec : specs.specs) {
        if (spec.role != Role::kAction) {
            continue;
        }
        const tn_key key = make_key(seed, "bench/" + spec.key);
        const auto elements = static_cast<std::uint64_t>(spec.shape.elements());
        std::uint64_t counter = 0;
        for (std::uint32_t slot = 0; slot < storage.slots(); ++slot) {
            for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane, counter += elements) {
                draw(spec, key, counter, row_at(storage.find(spec.key)->view, slot, lane));
            }
        }
    }
}

}  // namespace

Result<EnvBench> bench_env(Lanes& lanes, const Pool& pool, double seconds, std::uint64_t seed) {
    Storage storage = TENON_TRY(Storage::make(storage_columns(lanes.specs()), kSlots, lanes.count()));
    draw_actions(lanes.specs(), storage, seed);
    const std::vector<std::uint64_t> seeds = lane_seeds(make_key(seed, "env"), lanes.count());
    lanes.trust();
    Status status = lanes.bind(storage);
    if (status) {
        status = lanes.reset(nullptr, seeds.data());
    }
    if (status) {
        status = step_round(lanes);
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    EnvBench out{.lanes = lanes.count(), .threads = pool.threads()};
    while (status && out.seconds < seconds) {
        status = step_round(lanes);
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
