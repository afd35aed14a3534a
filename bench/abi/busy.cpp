// SPDX-License-Identifier: Apache-2.0
// An env that does nothing but keep the processor busy, for about a microsecond a step and lane: what a light simulator
// takes, where CartPole takes a fiftieth of it.
#include <cstdint>
#include <span>
#include <tuple>

#include "tenon/env.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Busy {
    std::int64_t work;
    std::int64_t max_episode_steps = 500;
    std::uint64_t number = 0;

    static constexpr auto options =
        std::tuple{tenon::option<&Busy::work>("work", 900, "[0,1000000]", "number of dependent products in a step")};

    static tenon::EnvSpec spec() {
        return {{tenon::bounded("observation", {4}, 0, 1)}, {tenon::categorical("action", 2)}};
    }
    void reset(tenon::Rng& rng, std::span<float, 4> observation) {
        number = rng.bits();
        show(observation);
    }
    tenon::StepResult step(std::int64_t action, std::span<float, 4> observation) {
        number += static_cast<std::uint64_t>(action);
        for (std::int64_t i = 0; i < work; ++i) {
            number = number * 6364136223846793005U + 1442695040888963407U;
        }
        show(observation);
        return {.reward = observation[0]};
    }

private:
    void show(std::span<float, 4> observation) const {
        for (std::size_t i = 0; i < observation.size(); ++i) {
            observation[i] = static_cast<float>(number >> (16 * i) & 0xffffU) / 65536;
        }
    }
};

}  // namespace

TENON_PLUGIN("busy", "0.1.0", tenon::env<Busy>("Busy-v0", "keeps the processor busy for about a microsecond"));
