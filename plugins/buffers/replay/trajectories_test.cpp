// SPDX-License-Identifier: Apache-2.0
// Compares whole episodes with a list of all that are held, on random ring buffers that are overwritten.
#include "trajectories.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace trajectories_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

using ring_world::below;

constexpr auto kTrajectories = tenon::sampler<Trajectories>("trajectories", "whole episodes");

auto with(std::uint32_t length, std::uint32_t least, const char* part) {
    return [=](auto& options) {
        options["length"].integer = length;
        options["min_length"].integer = least;
        options["part"].text = tenon::to_str(part);
    };
}

// The first steps of all whole episodes, by lane, and how long these are.
std::map<std::pair<std::size_t, std::size_t>, std::size_t> all_of(const ring_world::World& world, std::size_t least) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> out;
    for (std::size_t lane = 0; lane < world.ends.size(); ++lane) {
        for (std::size_t step = world.oldest(lane); step < world.ends[lane].size(); ++step) {
            const std::size_t stop = world.end_of(lane, step);
            if (world.begin_of(lane, step) == step && world.ends[lane][stop] != 0 && stop + 1 - step >= least) {
                out[{lane, step}] = stop + 1 - step;
            }
        }
    }
    return out;
}

}  // namespace

TEST_CASE("trajectories are all whole episodes that are held, padded or cut") {
    const auto seed = GENERATE(range(0U, 20U));
    const std::string part = GENERATE("first", "last", "any");
    CAPTURE(seed, part);
    std::mt19937 dice(seed);
    const std::uint32_t length = 1 + below(dice, 8);
    const std::uint32_t least = 1 + below(dice, 4);
    SamplerRig rig(kTrajectories, with(length, least, part.c_str()));
    rig.arrays = length;
    constexpr std::uint32_t kRows = 200;
    std::vector<std::uint8_t> mask(std::size_t{length} * kRows);
    rig.columns = {mask.data()};
    ring_world::World world(rig, 8 + below(dice, 24), 1 + below(dice, 3));
    for (int round = 0; round < 30; ++round) {
        for (auto steps = below(dice, 5) + (round == 0 ? 1 : 0); steps > 0; --steps) {
            world.step(dice, 5);
        }
        if (below(dice, 25) == 0 && world.ends.size() > 1 && world.gone == ~std::size_t{0}) {
            world.lose(below(dice, static_cast<std::uint32_t>(world.ends.size())));
            world.step(dice, 5);
        }
        const auto expected = all_of(world, least);
        const tn_status status = rig.sample(world.first, world.count, kRows, static_cast<std::uint64_t>(round));
        REQUIRE(status == (expected.empty() ? TN_FAILED_PRECONDITION : TN_OK));
        std::map<std::pair<std::size_t, std::size_t>, int> seen;
        for (std::size_t row = 0; status == TN_OK && row < kRows; ++row) {
            const std::size_t lane = rig.lanes[row];
            const std::size_t begin = world.begin_of(lane, world.step_at(lane, rig.slots[row]));
            CAPTURE(round, row, lane, begin);
            REQUIRE(expected.contains({lane, begin}));
            ++seen[{lane, begin}];
            const std::size_t steps = expected.at({lane, begin});
            const std::size_t spare = steps - std::min<std::size_t>(steps, length);
            const std::size_t first = world.step_at(lane, rig.slots[row]);
            REQUIRE(first - begin <= (part == "first" ? 0 : spare));
            REQUIRE(first - begin >= (part == "last" ? spare : 0));
            for (std::size_t t = 0; t < length; ++t) {
                const std::size_t place = t * kRows + row;
                REQUIRE((mask[place] == 1) == (t < steps));
                REQUIRE(rig.lanes[place] == lane);
                REQUIRE(world.step_at(lane, rig.slots[place]) == first + std::min<std::size_t>(t, steps - 1));
            }
        }
        REQUIRE((status != TN_OK || seen.size() == expected.size()));
    }
}

TEST_CASE("whole episodes are equally likely, however long they are") {
    SamplerRig rig(kTrajectories, with(4, 2, "first"));
    rig.arrays = 4;
    std::mt19937 dice(3);
    ring_world::World world(rig, 60, 2);
    for (int i = 0; i < 90; ++i) {
        world.step(dice, 6);
    }
    constexpr std::uint32_t kMany = 20000;
    std::vector<std::uint8_t> mask(std::size_t{4} * kMany);
    rig.columns = {mask.data()};
    REQUIRE(rig.sample(world.first, world.count, kMany) == TN_OK);
    std::map<std::pair<std::size_t, std::size_t>, double> times;
    for (std::size_t row = 0; row < kMany; ++row) {
        times[{rig.lanes[row], world.step_at(rig.lanes[row], rig.slots[row])}] += 1;
    }
    std::map<std::pair<std::size_t, std::size_t>, double> shares;
    for (const auto& [at, steps] : all_of(world, 2)) {
        shares[at] = 1;
    }
    REQUIRE(shares.size() > 5);
    REQUIRE(times.size() == shares.size());
    CHECK(ring_world::excess(times, shares, kMany) < 5);
}

TEST_CASE("where no episode has ended, the sentence says what to do") {
    SamplerRig rig(kTrajectories, with(4, 3, "first"));
    ring_world::World world(rig, 20, 1);
    world.step({0});
    world.step({1});
    CHECK(rig.sample(world.first, world.count, 1) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error, ContainsSubstring("no whole episode of at least 3 steps yet") &&
                                   ContainsSubstring("train.start_frames"));
}

TEST_CASE("a buffer whose first steps this sampler has never seen may have lost the beginning of an episode") {
    SamplerRig rig(kTrajectories, with(4, 1, "first"));
    rig.arrays = 4;
    std::vector<std::uint8_t> mask(4 * 50);
    rig.columns = {mask.data()};
    ring_world::World world(rig, 8, 1);
    for (int i = 0; i < 12; ++i) {
        world.step({i == 8 || i == 10 ? 1 : 0});
    }
    REQUIRE(rig.sample(world.first, world.count, 50) == TN_OK);
    for (std::size_t row = 0; row < 50; ++row) {
        REQUIRE(world.step_at(0, rig.slots[row]) == 9);  // 5 to 8 ended, too, but where it began is not known
    }
}

TEST_CASE("a saved sampler of trajectories goes on to the bit, and a damaged one is refused") {
    SamplerRig one(kTrajectories, with(4, 1, "any"));
    SamplerRig two(kTrajectories, with(4, 1, "any"));
    one.arrays = two.arrays = 4;
    std::vector<std::uint8_t> mask(4 * 20);
    std::vector<std::uint8_t> other(mask.size());
    one.columns = {mask.data()};
    two.columns = {other.data()};
    std::mt19937 dice(7);
    ring_world::World world(one, 24, 2);
    tenon::test::StateBytes state;
    for (std::uint64_t counter = 0; counter < 60; ++counter) {
        world.step(dice, 5);
        world.show(two);
        if (counter < 20) {
            continue;
        }
        REQUIRE(one.sample(world.first, world.count, 20, counter) == TN_OK);
        if (counter == 40) {
            REQUIRE(state.save(one.instance, 0, 0) == TN_OK);
            REQUIRE(state.load(two.instance, 0, 0) == TN_OK);
        } else if (counter > 40) {
            REQUIRE(two.sample(world.first, world.count, 20, counter) == TN_OK);
            REQUIRE(one.slots == two.slots);
            REQUIRE(one.lanes == two.lanes);
            REQUIRE(mask == other);
        }
    }
    state.bytes[12 + 8 + 8] = 200;  // the number of the first lane's episodes
    CHECK(state.load(two.instance, 0, 0) == TN_DATA_LOSS);
}

}  // namespace trajectories_test
