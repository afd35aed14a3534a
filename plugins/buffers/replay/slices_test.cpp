// SPDX-License-Identifier: Apache-2.0
// Sequences on a ring buffer written by hand: eight slots, the oldest transition at slot 5, the newest at slot 2,
// episodes end at slots 6 and 1.
#include "slices.hpp"

#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace slices_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

constexpr auto kSlices = tenon::sampler<Slices>("slices", "sequences");
constexpr std::uint32_t kRows = 300;

void write_down(SamplerRig& rig) {
    rig.ring = 8;
    rig.appended = 14;
    rig.terminated = {0, 0, 0, 0, 0, 0, 1, 0};
    rig.truncated = {0, 1, 0, 0, 0, 0, 0, 0};
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

}  // namespace slices_test
