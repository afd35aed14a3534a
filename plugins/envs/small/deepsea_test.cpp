// SPDX-License-Identifier: Apache-2.0
#include "deepsea.hpp"

#include <cmath>

#include "play.hpp"

namespace deepsea_test {

using namespace tenon::test;

namespace {

constexpr auto kDeepSea = tenon::env<DeepSea>("DeepSea-v0", "sink to a treasure");

auto of_size(std::int64_t size, std::int64_t mapping = 0, bool noisy = false) {
    return [=](OptionValues<DeepSea>& options) {
        options["size"].integer = size;
        options["mapping"].integer = mapping;
        options["noisy"].integer = noisy ? 1 : 0;
    };
}

DeepSea map_of(std::int64_t size, std::int64_t mapping) {
    DeepSea out{};
    out.size = size;
    out.mapping = mapping;
    return out;
}

// The cell that is 1, as row * size + column; -1 where all are 0.
std::int64_t cell(EnvRig& rig, std::uint32_t slot, std::size_t cells, const std::string& prefix = "") {
    std::int64_t out = -1;
    for (std::size_t i = 0; i < cells; ++i) {
        if (rig.columns.at<float>(prefix + "observation", slot, 0, i) == 1) {
            REQUIRE(out == -1);
            out = static_cast<std::int64_t>(i);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("deep sea: always to the right finds the treasure, at the cost of the steps") {
    EnvRig rig(kDeepSea, 1, 8, of_size(5, -1));
    rig.reset({1});
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        CHECK(cell(rig, slot, 25) == 6 * slot);  // the diagonal
        const Told told = play(rig, slot, 1);
        CHECK(told.reward == static_cast<float>((slot == 4 ? 1.0 : 0.0) - 0.002));
        CHECK(told.terminated == (slot == 4));
    }
    CHECK(cell(rig, 4, 25, "next.") == -1);
    CHECK(cell(rig, 5, 25) == 0);
}

TEST_CASE("deep sea: one step to the left costs nothing and the treasure is lost") {
    EnvRig rig(kDeepSea, 1, 8, of_size(4, -1));
    rig.reset({1});
    CHECK(play(rig, 0, 0).reward == 0);  // at the left edge: it stays in column 0
    CHECK(cell(rig, 1, 16) == 4);
    double sum = 0;
    for (std::uint32_t slot = 1; slot < 4; ++slot) {
        const Told told = play(rig, slot, 1);
        sum += told.reward;
        CHECK(told.terminated == (slot == 3));
    }
    CHECK(std::abs(sum + 0.0075) < 1e-6);
}

TEST_CASE("deep sea: which action goes to the right is drawn for each cell, by the map's number alone") {
    int ones = 0;
    int differing = 0;
    const DeepSea one = map_of(50, 0);
    const DeepSea other = map_of(50, 1);
    for (std::int64_t row = 0; row < 50; ++row) {
        for (std::int64_t column = 0; column < 50; ++column) {
            ones += static_cast<int>(one.right_at(row, column));
            differing += one.right_at(row, column) != other.right_at(row, column) ? 1 : 0;
        }
    }
    CHECK(std::abs(ones - 1250) < 125);
    CHECK(std::abs(differing - 1250) < 125);

    EnvRig rig(kDeepSea, 1, 8, of_size(6));
    const DeepSea map = map_of(6, 0);
    for (const std::uint64_t seed : {1U, 2U}) {
        rig.reset({seed});
        double sum = 0;
        for (std::uint32_t slot = 0; slot < 6; ++slot) {
            sum += play(rig, slot, map.right_at(slot, slot)).reward;
        }
        CHECK(std::abs(sum - 0.99) < 1e-6);
    }
}

TEST_CASE("deep sea with noise: one step to the right in `size` does not move") {
    constexpr std::uint32_t kLanes = 3000;
    EnvRig rig(kDeepSea, kLanes, 3, of_size(4, -1, true));
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = i;
    }
    rig.reset(seeds);
    int stayed = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        play(rig, 0, 1, lane);
        stayed += rig.columns.at<float>("observation", 1, lane, 4) == 1 ? 1 : 0;
    }
    CHECK(std::abs(stayed - 750) < 110);
}

TEST_CASE("deep sea resumes from saved state") {
    check_resumes(kDeepSea, 2, false, of_size(7, 0, true));
}

}  // namespace deepsea_test
