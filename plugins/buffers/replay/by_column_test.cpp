// SPDX-License-Identifier: Apache-2.0
#include "by_column.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/option_lists.hpp"

namespace by_column_test {

using tenon::test::SamplerRig;

namespace {

constexpr auto kByColumn = tenon::sampler<ByColumn>("by_column", "by a column");
constexpr std::uint32_t kRows = 64;

// A ring buffer that is overwritten, with a number for every step.
struct Rewarded {
    explicit Rewarded(SamplerRig& rig) : world(rig, 12, 3), values(std::size_t{12} * 3) {}

    void step() {
        const std::size_t slot = world.sampler.appended % 12;
        for (std::size_t lane = 0; lane < 3; ++lane) {
            values[slot * 3 + lane] = std::uniform_real_distribution<>(-2, 4)(dice);
        }
        world.step(dice, 6);
    }
    // How often each pair is drawn.
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> counted(int batches) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, double> out;
        for (int i = 0; i < batches; ++i) {
            REQUIRE(world.sampler.look(values) == TN_OK);
            REQUIRE(world.sampler.sample(world.first, world.count, kRows, counter++, &weights) == TN_OK);
            for (std::uint32_t row = 0; row < kRows; ++row) {
                out[{world.sampler.slots[row], world.sampler.lanes[row]}] += 1;
            }
        }
        return out;
    }
    std::mt19937 dice{7};
    ring_world::World world;
    std::vector<double> values;
    std::vector<float> weights = std::vector<float>(kRows);
    std::uint64_t counter = 0;
};

}  // namespace

TEST_CASE("rows are drawn in proportion to what stands in the column above the floor") {
    SamplerRig rig(kByColumn, [](auto& options) {
        options["column"].text = tenon::to_str("reward");
        options["floor"].real = -1;
        options["alpha"].real = 2;
        options["eps"].real = 0.25;
    });
    Rewarded all(rig);
    for (const int steps : {5, 3, 9, 30}) {  // the last two overwrite
        for (int i = 0; i < steps; ++i) {
            all.step();
        }
        constexpr int kBatches = 200;
        const auto counts = all.counted(kBatches);
        double total = 0, chi = 0;
        std::map<std::pair<std::uint32_t, std::uint32_t>, double> wanted;
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            for (std::uint32_t age = 0; age < all.world.count[lane]; ++age) {
                const std::uint32_t slot = (all.world.first[lane] + age) % 12;
                const double value = std::max(all.values[slot * 3 + lane] + 1, 0.0) + 0.25;
                total += wanted[{slot, lane}] = value * value;
            }
        }
        for (const auto& [pair, share] : wanted) {
            const double expected = share / total * kBatches * kRows;
            const double found = counts.contains(pair) ? counts.at(pair) : 0;
            chi += (found - expected) * (found - expected) / expected;
        }
        const auto free = static_cast<double>(wanted.size() - 1);
        CHECK(chi < free + 4 * std::sqrt(2 * free));
        double drawn = 0;
        for (const auto& [pair, count] : counts) {
            CHECK(wanted.contains(pair));
            drawn += count;
        }
        CHECK(drawn == kBatches * kRows);
    }
}

TEST_CASE("what is drawn more often may count less") {
    SamplerRig rig(kByColumn, [](auto& options) {
        options["column"].text = tenon::to_str("reward");
        options["beta"].real = 1;
    });
    Rewarded all(rig);
    for (int i = 0; i < 5; ++i) {
        all.step();
    }
    all.counted(1);
    const auto worth = [&](std::uint32_t row) {
        return std::max(all.values[rig.slots[row] * 3 + rig.lanes[row]], 0.0) + 1e-3;
    };
    for (std::uint32_t row = 1; row < kRows; ++row) {
        CHECK(all.weights[row] * worth(row) == Catch::Approx(all.weights[0] * worth(0)).epsilon(1e-4));
    }
}

TEST_CASE("what a sampler does not read has no number") {
    SamplerRig rig(kByColumn, [](auto& options) { options["column"].text = tenon::to_str("reward"); });
    const std::vector<std::uint32_t> first = {0}, count = {2};
    rig.terminated.assign(10, 0);
    rig.truncated = rig.terminated;
    rig.appended = 2;
    std::vector<float> weights(kRows);
    CHECK(rig.sample(first, count, kRows, 0, &weights) == TN_INVALID_ARGUMENT);
    CHECK(rig.host.error == "sample reads column 0 of the 0 that its reads() names");
}

// One lane of eight slots, 0 to 6 held, and two agents: the second is absent after step 2 and comes back after step 3.
TEST_CASE("rows that are drawn by a column end where an agent leaves") {
    const tenon::test::Words until({"agents.present"});
    SamplerRig rig(kByColumn, [&](auto& options) {
        options["column"].text = tenon::to_str("reward");
        options["n_step"].integer = 3;
        until.into(options["until"]);
    });
    rig.ring = 8;
    rig.arrays = 3;
    rig.appended = 7;
    rig.terminated.assign(8, 0);
    rig.truncated = rig.terminated;
    std::vector<double> values(8, 1.0);
    std::array<std::uint8_t, 16> present{1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    const std::array<std::int64_t, 3> shape = {8, 1, 2};
    const std::array<std::int64_t, 3> strides = {2, 2, 1};
    const std::array<std::int64_t, 2> of_values = {1, 1};
    const auto shown = [](auto dtype, void* data, std::uint32_t rank, const auto& sizes, const auto& by) {
        return tn_column{.struct_size = sizeof(tn_column),
                         .flags = 0,
                         .key = {.data = "", .size = 0},
                         .tensor = {.struct_size = sizeof(tn_tensor),
                                    .dtype = dtype,
                                    .data = data,
                                    .rank = rank,
                                    .device_type = TN_DEVICE_CPU,
                                    .device_id = 0,
                                    .reserved = 0,
                                    .shape = sizes.data(),
                                    .strides = by.data()}};
    };
    const tn_column reward = shown(TN_F64, values.data(), 2, shape, of_values);
    const tn_column presence = shown(TN_BOOL, present.data(), 3, shape, strides);
    const std::array<const tn_column*, 2> both = {&reward, &presence};
    REQUIRE(rig.reads->look(rig.instance.self(), both.data(), 2) == TN_OK);
    std::vector<float> taken(kRows);
    REQUIRE(rig.sample({0}, {7}, kRows, 0, &taken) == TN_OK);
    const std::vector<std::uint32_t> last = {2, 2, 2, 5, 6, 6, 6};
    const std::vector<float> steps = {3, 2, 1, 3, 3, 2, 1};
    std::vector<bool> seen(7);
    for (std::uint32_t row = 0; row < kRows; ++row) {
        const std::uint32_t first = rig.slots[row];
        REQUIRE(first < 7);
        CHECK(rig.slots[2 * kRows + row] == last[first]);
        CHECK(taken[row] == steps[first]);
        seen[first] = true;
    }
    CHECK(std::ranges::count(seen, true) == 7);
}

TEST_CASE("a number that is not finite is told with its place") {
    SamplerRig rig(kByColumn, [](auto& options) { options["column"].text = tenon::to_str("reward"); });
    Rewarded all(rig);
    all.step();
    all.step();
    all.values[1] = std::numeric_limits<double>::quiet_NaN();
    REQUIRE(rig.look(all.values) == TN_OK);
    CHECK(rig.sample(all.world.first, all.world.count, kRows, 0, &all.weights) == TN_INVALID_ARGUMENT);
    CHECK(rig.host.error == "'reward' is NaN in slot 0 of lane 1; rows are drawn in proportion to it");
}

}  // namespace by_column_test
