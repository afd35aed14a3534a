// SPDX-License-Identifier: Apache-2.0
// Sequences on a ring buffer written by hand: eight slots, the oldest transition at slot 5, the newest at slot 2,
// episodes end at slots 6 and 1. Then on random ones, compared with a list of all sequences.
#include "slices.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace slices_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

using ring_world::below;

constexpr auto kSlices = tenon::sampler<Slices>("slices", "sequences");
constexpr std::uint32_t kRows = 300;

void write_down(SamplerRig& rig) {
    rig.ring = 8;
    rig.appended = 14;
    rig.terminated = {0, 0, 0, 0, 0, 0, 1, 0};
    rig.truncated = {0, 1, 0, 0, 0, 0, 0, 0};
}

using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // lane, first step, real steps

// Every sequence with its probability, up to a factor.
std::map<Key, double> all_of(const ring_world::World& world, const std::string& span, std::size_t length,
                             std::size_t least) {
    std::map<Key, double> out;
    const auto add = [&](std::size_t lane, std::size_t first, std::size_t steps, double share) {
        if (steps >= least) {
            out[{lane, first, steps}] += share;
        }
    };
    for (std::size_t lane = 0; lane < world.ends.size(); ++lane) {
        for (std::size_t step = world.oldest(lane); step < world.ends[lane].size(); ++step) {
            const std::size_t begin = std::max(world.begin_of(lane, step), world.oldest(lane));
            const std::size_t stop = world.end_of(lane, step) + 1;
            if (span == "right") {
                add(lane, step, std::min(length, stop - step), 1);
            } else if (span == "left") {
                const std::size_t first = std::max(begin, step + 1 - std::min(length, step + 1));
                add(lane, first, step + 1 - first, 1);
            } else if (span == "none" && (stop - step >= length || step == begin)) {
                add(lane, step, std::min(length, stop - step), 1);
            }
            for (std::size_t place = 0; span == "both" && place < length; ++place) {
                const std::size_t back = std::min(place, step - begin);
                add(lane, step - back, std::min(length - (place - back), stop - (step - back)), 1);
            }
        }
    }
    return out;
}

}  // namespace

TEST_CASE("strict sequences are whole and of one episode, and all such starts are drawn") {
    SamplerRig rig(kSlices, [](auto& options) { options["length"].integer = 2; });
    write_down(rig);
    rig.arrays = 2;  // room for [time][rows]
    CHECK(rig.plan().time == 2);
    CHECK(rig.plan().column_count == 0);
    REQUIRE(rig.sample({5}, {6}, kRows) == TN_OK);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::uint32_t row = 0; row < kRows; ++row) {
        seen.insert({rig.slots[row], rig.slots[kRows + row]});
    }
    CHECK(seen == std::set<std::pair<std::uint32_t, std::uint32_t>>{{5, 6}, {7, 0}, {0, 1}});
}

TEST_CASE("where no sequence fits, the sentence says what to do") {
    SamplerRig rig(kSlices, [](auto& options) { options["length"].integer = 4; });
    write_down(rig);
    rig.arrays = 4;
    CHECK(rig.sample({5}, {6}, 1) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error,
               ContainsSubstring("no 4 steps of one episode") && ContainsSubstring("train.start_frames"));
}

TEST_CASE("shorter sequences repeat their last step, which is masked") {
    SamplerRig rig(kSlices, [](auto& options) {
        options["length"].integer = 3;
        options["strict"].integer = 0;
    });
    write_down(rig);
    rig.arrays = 3;
    std::vector<std::uint8_t> mask(3 * std::size_t{kRows}, 7);
    rig.columns = {mask.data()};
    REQUIRE(rig.plan().column_count == 1);
    CHECK(tenon::to_view(rig.plan().columns[0]->key) == "mask");
    REQUIRE(rig.sample({5}, {6}, kRows) == TN_OK);
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint32_t row = 0; row < kRows; ++row) {
        std::vector<std::uint32_t> one;
        for (std::size_t step = 0; step < 3; ++step) {
            one.push_back(rig.slots[step * kRows + row]);
        }
        for (std::size_t step = 0; step < 3; ++step) {
            one.push_back(mask[step * kRows + row]);
        }
        seen.insert(one);
    }
    CHECK(seen == std::set<std::vector<std::uint32_t>>{{5, 6, 6, 1, 1, 0},
                                                       {6, 6, 6, 1, 0, 0},
                                                       {7, 0, 1, 1, 1, 1},
                                                       {0, 1, 1, 1, 1, 0},
                                                       {1, 1, 1, 1, 0, 0},
                                                       {2, 2, 2, 1, 0, 0}});
}

TEST_CASE("sequences that reach over ends are those of a naive model, as often as it says") {
    const auto seed = GENERATE(range(0U, 12U));
    const char* const span = GENERATE("none", "left", "right", "both");
    CAPTURE(seed, span);
    std::mt19937 dice(seed);
    const std::uint32_t length = 1 + below(dice, 6);
    const std::uint32_t least = 1 + below(dice, std::min(length, 3U));
    SamplerRig rig(kSlices, [&](auto& options) {
        options["length"].integer = length;
        options["strict"].integer = 0;
        options["min_length"].integer = least;
        options["span"].text = tenon::to_str(span);
    });
    rig.arrays = length;
    ring_world::World world(rig, 8 + below(dice, 20), 1 + below(dice, 3));
    for (auto steps = 4 + below(dice, 60); steps > 0; --steps) {
        world.step(dice, 6);
    }
    const std::map<Key, double> expected = all_of(world, span, length, least);
    constexpr std::uint32_t kMany = 8000;
    std::vector<std::uint8_t> mask(std::size_t{length} * kMany);
    rig.columns = {mask.data()};
    if (expected.empty()) {
        CHECK(rig.sample(world.first, world.count, kMany) == TN_FAILED_PRECONDITION);
        return;
    }
    REQUIRE(rig.sample(world.first, world.count, kMany) == TN_OK);
    std::map<Key, double> times;
    for (std::size_t row = 0; row < kMany; ++row) {
        std::size_t steps = 0;
        const std::size_t lane = rig.lanes[row];
        const std::size_t first = world.step_at(lane, rig.slots[row]);
        for (std::size_t t = 0; t < length; ++t) {
            const std::size_t place = t * kMany + row;
            REQUIRE((steps == t || mask[place] == 0));
            steps += mask[place];
            REQUIRE(rig.lanes[place] == lane);
            REQUIRE(world.step_at(lane, rig.slots[place]) == first + steps - 1);
        }
        times[{lane, first, steps}] += 1;
        REQUIRE(expected.contains({lane, first, steps}));
    }
    CHECK(ring_world::excess(times, expected, kMany) < 5);
}

TEST_CASE("the last step of a truncated sequence counts as truncated, unless its episode terminated there") {
    SamplerRig rig(kSlices, [](auto& options) {
        options["length"].integer = 3;
        options["strict"].integer = 0;
        options["truncate"].integer = 1;
    });
    write_down(rig);
    rig.arrays = 3;
    std::vector<std::uint8_t> mask(3 * std::size_t{kRows}, 7);
    std::vector<std::uint8_t> truncated(mask);
    std::vector<std::uint8_t> done(mask);
    rig.columns = {mask.data(), truncated.data(), done.data()};
    REQUIRE(rig.plan().column_count == 3);
    CHECK(tenon::to_view(rig.plan().columns[1]->key) == "next.truncated");
    CHECK(tenon::to_view(rig.plan().columns[2]->key) == "next.done");
    REQUIRE(rig.sample({5}, {6}, kRows) == TN_OK);
    std::map<std::uint32_t, std::vector<int>> seen;
    for (std::uint32_t row = 0; row < kRows; ++row) {
        std::vector<int> one;
        for (std::size_t step = 0; step < 3; ++step) {
            one.push_back(truncated[step * kRows + row]);
            one.push_back(done[step * kRows + row]);
        }
        seen[rig.slots[row]] = one;
    }
    CHECK(seen == std::map<std::uint32_t, std::vector<int>>{{5, {0, 0, 0, 1, 0, 1}},    // 5 6 6, terminated
                                                            {6, {0, 1, 0, 1, 0, 1}},    // 6 6 6, terminated
                                                            {7, {0, 0, 0, 0, 1, 1}},    // 7 0 1, truncated
                                                            {0, {0, 0, 1, 1, 1, 1}},    // 0 1 1, truncated
                                                            {1, {1, 1, 1, 1, 1, 1}},    // 1 1 1, truncated
                                                            {2, {1, 1, 1, 1, 1, 1}}});  // 2 2 2, goes on elsewhere
}

TEST_CASE("a least length of more than a sequence is refused") {
    tenon::test::PluginHost host;
    const tenon::test::PluginInstance wrong(host, kSlices, 0, [](auto& options) {
        options["strict"].integer = 0;
        options["min_length"].integer = 11;
    });
    CHECK(wrong.status() == TN_INVALID_ARGUMENT);
    CHECK_THAT(host.error, ContainsSubstring("min_length is 11, more than the 10 steps of a sequence"));
}

}  // namespace slices_test
