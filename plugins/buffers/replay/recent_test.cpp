// SPDX-License-Identifier: Apache-2.0
// Draws by staleness, compared with the weights of all frames that are held.
#include "recent.hpp"

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace recent_test {

using tenon::test::SamplerRig;

namespace {

constexpr auto kRecent = tenon::sampler<Recent>("recent", "by staleness");

}  // namespace

TEST_CASE("frames are drawn as often as their staleness says") {
    const std::string weight = GENERATE("inverse", "halving", "equal");
    const std::uint32_t every = GENERATE(1U, 3U, 50U);
    const std::uint32_t limit = GENERATE(0U, 2U);
    const bool lost = GENERATE(false, true);
    CAPTURE(weight, every, limit, lost);
    SamplerRig rig(kRecent, [&](auto& options) {
        options["weight"].text = tenon::to_str(weight);
        options["half_life"].real = 2.5;
        options["every"].integer = every;
        options["max_staleness"].integer = limit;
    });
    std::mt19937 dice(every);
    ring_world::World world(rig, 23, 3);
    for (int i = 0; i < 31; ++i) {
        world.step(dice, 6);
        if (i == 20 && lost) {
            world.lose(2);
        }
    }
    constexpr std::uint32_t kMany = 50000;
    REQUIRE(rig.sample(world.first, world.count, kMany) == TN_OK);
    std::map<std::pair<std::size_t, std::size_t>, double> times;
    for (std::size_t row = 0; row < kMany; ++row) {
        times[{rig.lanes[row], world.step_at(rig.lanes[row], rig.slots[row])}] += 1;
    }
    std::map<std::pair<std::size_t, std::size_t>, double> shares;
    for (std::size_t lane = 0; lane < 3; ++lane) {
        for (std::size_t step = world.oldest(lane); step < world.ends[lane].size(); ++step) {
            const std::size_t stale = (world.ends[lane].size() - 1 - step) / every;
            if (limit == 0 || stale <= limit) {
                const auto s = static_cast<double>(stale);
                shares[{lane, step}] = weight == "inverse"   ? 1 / (s + 1)
                                       : weight == "halving" ? std::pow(0.5, s / 2.5)
                                                             : 1;
            }
        }
    }
    for (const auto& [frame, count] : times) {
        REQUIRE(shares.contains(frame));
    }
    CHECK(ring_world::excess(times, shares, kMany) < 5);
}

TEST_CASE("a saved sampler of recent frames goes on to the bit, before its first batch, too") {
    SamplerRig one(kRecent);
    SamplerRig two(kRecent);
    std::mt19937 dice(1);
    ring_world::World world(one, 12, 2);
    for (int i = 0; i < 20; ++i) {
        world.step(dice, 6);
    }
    world.show(two);
    REQUIRE(one.sample(world.first, world.count, 64, 0) == TN_OK);
    tenon::test::StateBytes state;
    REQUIRE(state.save(one.instance, 0, 0) == TN_OK);
    REQUIRE(state.load(two.instance, 0, 0) == TN_OK);
    REQUIRE(one.sample(world.first, world.count, 64, 1) == TN_OK);
    REQUIRE(two.sample(world.first, world.count, 64, 1) == TN_OK);
    CHECK(one.slots == two.slots);
    CHECK(one.lanes == two.lanes);
}

}  // namespace recent_test
