// SPDX-License-Identifier: Apache-2.0
// Compares passes without replacement with sets of frames, on random ring buffers that are overwritten.
#include "without_replacement.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace without_replacement_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

using ring_world::below;

constexpr auto kPasses = tenon::sampler<WithoutReplacement>("without_replacement", "in passes");

using Frame = std::pair<std::size_t, std::size_t>;  // lane and step

auto with(bool drop_last, std::uint32_t consume) {
    return [=](auto& options) {
        options["drop_last"].integer = drop_last ? 1 : 0;
        options["consume"].integer = consume;
    };
}

std::multiset<Frame> held(const ring_world::World& world) {
    std::multiset<Frame> out;
    for (std::size_t lane = 0; lane < world.ends.size(); ++lane) {
        for (std::size_t step = world.oldest(lane); step < world.ends[lane].size(); ++step) {
            out.insert({lane, step});
        }
    }
    return out;
}

std::vector<Frame> drawn(const ring_world::World& world) {
    std::vector<Frame> out;
    for (std::size_t row = 0; row < world.sampler.slots.size(); ++row) {
        out.emplace_back(world.sampler.lanes[row], world.step_at(world.sampler.lanes[row], world.sampler.slots[row]));
    }
    return out;
}

}  // namespace

TEST_CASE("a permutation has every number once, and every number is equally likely at a place") {
    for (const std::uint64_t size : {1U, 2U, 3U, 5U, 16U, 17U, 100U, 1025U}) {
        std::set<std::uint64_t> seen;
        for (std::uint64_t place = 0; place < size; ++place) {
            seen.insert(Permutation{.size = size, .key = 7 * size}(place));
        }
        CAPTURE(size);
        CHECK(seen.size() == size);
        CHECK(*seen.rbegin() == size - 1);
    }
    for (const std::uint64_t size : {2U, 3U, 5U, 11U, 40U}) {
        std::mt19937_64 dice(size);
        std::map<std::pair<std::uint64_t, std::uint64_t>, double> pairs;  // of the numbers at two neighbouring places
        std::map<std::pair<std::uint64_t, std::uint64_t>, double> shares;
        for (std::uint64_t a = 0; a < size; ++a) {
            for (std::uint64_t b = 0; b < size; ++b) {
                if (a != b) {
                    shares[{a, b}] = 1;
                }
            }
        }
        constexpr int kMany = 100000;
        for (int i = 0; i < kMany; ++i) {
            const Permutation order{.size = size, .key = dice()};
            const std::uint64_t place = dice() % (size - 1);
            pairs[{order(place), order(place + 1)}] += 1;
        }
        CAPTURE(size);
        CHECK(pairs.size() == shares.size());
        CHECK(ring_world::excess(pairs, shares, kMany) < 5);
    }
}

TEST_CASE("a pass draws each frame of its beginning once, but for those that are overwritten before their turn") {
    const auto seed = GENERATE(range(0U, 40U));
    CAPTURE(seed);
    std::mt19937 dice(seed);
    SamplerRig rig(kPasses, with(false, 0));
    ring_world::World world(rig, 4 + below(dice, 30), 1 + below(dice, 3));
    world.step(dice, 6);
    std::multiset<Frame> left;
    int passes = 0;
    for (std::uint64_t counter = 0; counter < 200; ++counter) {
        if (below(dice, 2) == 0) {
            world.step(dice, 6);
        }
        if (below(dice, 90) == 0 && world.ends.size() > 1 && world.gone == ~std::size_t{0}) {
            world.lose(below(dice, static_cast<std::uint32_t>(world.ends.size())));
            world.step(dice, 6);
        }
        REQUIRE(rig.sample(world.first, world.count, 1 + below(dice, 9), counter) == TN_OK);
        const std::multiset<Frame> now = held(world);
        for (const Frame& frame : drawn(world)) {
            std::erase_if(left, [&](const Frame& each) { return !now.contains(each); });
            if (left.empty()) {
                left = now;
                ++passes;
            }
            REQUIRE(left.erase(frame) == 1);
        }
    }
    CHECK(passes > 1);
}

TEST_CASE("a dropped rest of a pass leaves no batch with rows of two passes") {
    SamplerRig rig(kPasses, with(true, 0));
    std::mt19937 dice(5);
    ring_world::World world(rig, 21, 1);
    for (int i = 0; i < 20; ++i) {
        world.step(dice, 6);
    }
    for (std::uint64_t counter = 0; counter < 40; counter += 2) {
        std::set<Frame> seen;
        for (std::uint64_t half = 0; half < 2; ++half) {
            REQUIRE(rig.sample(world.first, world.count, 8, counter + half) == TN_OK);
            for (const Frame& frame : drawn(world)) {
                REQUIRE(seen.insert(frame).second);
            }
        }
    }
    CHECK(rig.sample(world.first, world.count, 21, 50) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error, ContainsSubstring("21 rows are to be drawn without replacement, but the buffer has only "
                                                 "20 frames") &&
                                   ContainsSubstring("train.minibatch"));
    // Frames that are overwritten meanwhile make a pass shorter than it seems.
    SamplerRig moving(kPasses, with(true, 0));
    ring_world::World ring(moving, 13, 2);
    for (std::uint64_t counter = 0; counter < 300; ++counter) {
        for (int i = counter == 0 ? 12 : 1; i > 0; --i) {
            ring.step(dice, 6);
        }
        REQUIRE(moving.sample(ring.first, ring.count, 10, counter) == TN_OK);
        const std::vector<Frame> frames = drawn(ring);
        REQUIRE(std::set<Frame>(frames.begin(), frames.end()).size() == 10);
    }
}

TEST_CASE("what is consumed is drawn so many times and never again") {
    const std::uint32_t times = GENERATE(1U, 3U);
    CAPTURE(times);
    SamplerRig rig(kPasses, with(false, times));
    std::mt19937 dice(times);
    ring_world::World world(rig, 100, 2);
    std::map<Frame, std::uint32_t> count;
    std::uint64_t counter = 0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 6; ++i) {
            world.step(dice, 6);
        }
        for (std::uint32_t batch = 0; batch < times; ++batch) {
            REQUIRE(rig.sample(world.first, world.count, 12, counter++) == TN_OK);
            for (const Frame& frame : drawn(world)) {
                ++count[frame];
            }
        }
        for (const auto& [frame, drawings] : count) {
            REQUIRE(drawings == times);
        }
        REQUIRE(count.size() == 12 * (static_cast<std::size_t>(round) + 1));
    }
    CHECK(rig.sample(world.first, world.count, 5, counter) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error,
               ContainsSubstring("5 rows are to be drawn without replacement, but the buffer has only 0 "
                                 "frames that have not been consumed"));
}

TEST_CASE("a saved pass goes on to the bit, and a damaged one is refused") {
    SamplerRig one(kPasses, with(false, 2));
    SamplerRig two(kPasses, with(false, 2));
    std::mt19937 dice(9);
    ring_world::World world(one, 40, 2);
    tenon::test::StateBytes state;
    for (std::uint64_t counter = 0; counter < 60; ++counter) {
        for (int i = 0; i < 4; ++i) {
            world.step(dice, 6);
        }
        world.show(two);
        REQUIRE(one.sample(world.first, world.count, 7, counter) == TN_OK);
        if (counter == 30) {
            REQUIRE(state.save(one.instance, 0, 0) == TN_OK);
            REQUIRE(state.load(two.instance, 0, 0) == TN_OK);
        } else if (counter > 30) {
            REQUIRE(two.sample(world.first, world.count, 7, counter) == TN_OK);
            REQUIRE(one.slots == two.slots);
            REQUIRE(one.lanes == two.lanes);
        }
    }
    state.bytes[0] = static_cast<unsigned char>(state.bytes[0] + 1);  // the number of frames in the pass
    CHECK(state.load(two.instance, 0, 0) == TN_DATA_LOSS);
}

}  // namespace without_replacement_test
