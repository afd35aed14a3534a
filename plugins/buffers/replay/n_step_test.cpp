// SPDX-License-Identifier: Apache-2.0
// Rows of several steps on ring buffers written by hand, with ends of episodes inside.
#include "n_step.hpp"

#include <array>
#include <string>
#include <vector>

#include "prioritised.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"
#include "uniform.hpp"

namespace n_step_test {

using tenon::test::SamplerRig;

namespace {

constexpr auto kUniform = tenon::sampler<Uniform>("uniform", "uniformly");
constexpr auto kPrioritised = tenon::sampler<Prioritised>("prioritised", "by priority");

// One lane of eight slots: the oldest transition at slot 5, the newest at slot 2; episodes end at slots 6 (terminated)
// and 1 (truncated).
struct Case {
    std::uint32_t first;
    std::vector<std::uint32_t> slots;
    float steps;
};
const std::vector<Case> kThreeSteps = {{5, {5, 6, 6}, 2}, {6, {6, 6, 6}, 1}, {7, {7, 0, 1}, 3},
                                       {0, {0, 1, 1}, 2}, {1, {1, 1, 1}, 1}, {2, {2, 2, 2}, 1}};

}  // namespace

TEST_CASE("a row's steps stay at the last one where an episode ends or nothing younger is held") {
    const bool prioritised = GENERATE(false, true);
    CAPTURE(prioritised);
    const auto three = [](auto& options) { options["n_step"].integer = 3; };
    SamplerRig rig = prioritised ? SamplerRig(kPrioritised, three) : SamplerRig(kUniform, three);
    rig.ring = 8;
    rig.arrays = 3;
    rig.appended = 14;
    rig.terminated = {0, 0, 0, 0, 0, 0, 1, 0};
    rig.truncated = {0, 1, 0, 0, 0, 0, 0, 0};
    constexpr std::uint32_t kRows = 500;
    std::vector<float> weights(kRows);
    std::vector<float> steps(kRows);
    rig.columns = {steps.data()};
    if (prioritised) {
        rig.columns = {weights.data(), steps.data()};
    }
    REQUIRE(rig.sample({5}, {6}, kRows) == TN_OK);
    std::vector<int> seen(8);
    for (std::uint32_t row = 0; row < kRows; ++row) {
        const std::uint32_t first = rig.slots[row];
        ++seen[first];
        for (const Case& expected : kThreeSteps) {
            if (expected.first == first) {
                CAPTURE(row, first);
                REQUIRE(rig.slots[kRows + row] == expected.slots[1]);
                REQUIRE(rig.slots[2 * kRows + row] == expected.slots[2]);
                REQUIRE(steps[row] == expected.steps);
            }
        }
    }
    CHECK((seen[5] > 0 && seen[6] > 0 && seen[7] > 0 && seen[0] > 0 && seen[1] > 0 && seen[2] > 0));
    CHECK(seen[3] + seen[4] == 0);
}

TEST_CASE("of one step there is nothing but the row, of several all rewards and what the last led to") {
    const SamplerRig one(kUniform);
    CHECK(one.plan().array_count == 1);
    CHECK(one.plan().gather_count == 1);
    CHECK(one.plan().column_count == 0);
    const SamplerRig four(kPrioritised, [](auto& options) { options["n_step"].integer = 4; });
    const tn_sampler_info info = four.plan();
    CHECK(info.array_count == 4);
    REQUIRE(info.gather_count == 3);
    CHECK(tenon::to_view(info.gathers[1]->target) == "next.rewards");
    CHECK(info.gathers[1]->array == 0);
    CHECK(info.gathers[1]->count == 4);
    CHECK(tenon::to_view(info.gathers[2]->source) == "next.*");
    CHECK(info.gathers[2]->array == 3);
    REQUIRE(info.column_count == 2);
    CHECK(tenon::to_view(info.columns[1]->key) == "steps");
}

// One lane of eight slots, 0 to 6 held, and two agents: the second is absent after step 2 and comes back after step 3,
// the first dies with step 5 and is present again at once.
TEST_CASE("a row's steps end where an agent leaves") {
    const std::array<std::uint8_t, 8> ends{};
    const std::array<std::uint8_t, 16> present{1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    std::array<std::uint8_t, 16> dies{};
    dies[10] = 1;
    const std::uint32_t first = 0;
    const std::uint32_t count = 7;
    const tn_buffer_view view = {.struct_size = sizeof(tn_buffer_view),
                                 .slots = 8,
                                 .lanes = 1,
                                 .reserved = 0,
                                 .first = &first,
                                 .count = &count,
                                 .total = count,
                                 .appended = count,
                                 .terminated = ends.data(),
                                 .truncated = ends.data()};
    const std::array<std::int64_t, 3> shape = {8, 1, 2};
    const std::array<std::int64_t, 3> strides = {2, 2, 1};
    const auto shown = [&](const std::array<std::uint8_t, 16>& of) {
        return tn_column{.struct_size = sizeof(tn_column),
                         .flags = 0,
                         .key = {.data = "", .size = 0},
                         .tensor = {.struct_size = sizeof(tn_tensor),
                                    .dtype = TN_BOOL,
                                    .data = const_cast<std::uint8_t*>(of.data()),
                                    .rank = 3,
                                    .device_type = TN_DEVICE_CPU,
                                    .device_id = 0,
                                    .reserved = 0,
                                    .shape = shape.data(),
                                    .strides = strides.data()}};
    };
    const tn_column presence = shown(present);
    const tn_column ending = shown(dies);
    tenon::Transitions buffer;
    buffer.look_at(view);
    buffer.show(std::vector<const tn_column*>{&presence, &ending});
    const std::vector<std::string> until = {"agents.present", "agents.terminated"};
    std::array<std::array<std::uint32_t, 8>, 3> slots{};
    std::array<std::array<std::uint32_t, 8>, 3> lanes{};
    std::array<std::uint32_t*, 3> slot_arrays{};
    std::array<std::uint32_t*, 3> lane_arrays{};
    for (std::size_t array = 0; array < 3; ++array) {
        slot_arrays[array] = slots[array].data();
        lane_arrays[array] = lanes[array].data();
    }
    const tn_sample_call call = {.struct_size = sizeof(tn_sample_call),
                                 .rows = count,
                                 .view = &view,
                                 .key = {},
                                 .counter = 0,
                                 .slots = slot_arrays.data(),
                                 .lanes = lane_arrays.data(),
                                 .columns = nullptr,
                                 .options = nullptr,
                                 .option_count = 0};
    std::array<float, 8> steps{};
    for (std::uint32_t row = 0; row < count; ++row) {
        set_steps(buffer, tenon::SampleRows(call, {}), row, buffer.at(row), 3, steps, {until});
    }
    CHECK(std::vector<std::uint32_t>(slots[2].begin(), slots[2].begin() + count) ==
          std::vector<std::uint32_t>{2, 2, 2, 5, 5, 5, 6});
    CHECK(std::vector<float>(steps.begin(), steps.begin() + count) == std::vector<float>{3, 2, 1, 3, 2, 1, 1});
    for (std::uint32_t row = 0; row < count; ++row) {
        set_steps(buffer, tenon::SampleRows(call, {}), row, buffer.at(row), 3, steps);
    }
    CHECK(std::vector<float>(steps.begin(), steps.begin() + count) == std::vector<float>{3, 3, 3, 3, 3, 2, 1});
}

}  // namespace n_step_test
