// SPDX-License-Identifier: Apache-2.0
// Columns of histories: what stands for the rows before a sequence, whether they are in the same batch or in earlier
// ones.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "experience/replay/gather.hpp"
#include "experience/replay/rollout.hpp"
#include "experience/replay/storage.hpp"
#include "support/catch.hpp"

namespace earlier_test {

namespace {

using namespace tenon;

constexpr std::uint32_t kLanes = 3;
constexpr std::uint32_t kEarlier = 5;

// The row of a step of a lane, counted since the beginning of the run; 0 before it.
float row_of(std::int64_t step, std::uint32_t lane) {
    return step < 0 ? 0.0F : static_cast<float>(100 * (lane + 1)) + static_cast<float>(step);
}

void check_rows(const float* rows, std::int64_t step, std::uint32_t lane) {
    for (std::uint32_t i = 0; i < kEarlier; ++i) {
        const float expected = row_of(step - kEarlier + i, lane);
        CHECK(rows[2 * i] == expected);
        CHECK(rows[2 * i + 1] == -expected);
    }
}

TEST_CASE("readers of a history get the rows before their sequences, from this batch and from earlier ones") {
    Spec spec;
    spec.key = "actor.keys";
    spec.dtype = DType::kF32;
    spec.shape = Shape{kEarlier, 2};
    constexpr std::uint32_t kSlots = 9;
    Storage storage = *Storage::make({state_column(spec, kEarlier)}, kSlots, kLanes);
    const StorageColumn& column = *storage.find("actor.keys");
    CHECK(column.row == Shape{2});
    const std::vector<std::string> keys = {"actor.keys"};
    const SamplerPlan all{.sampler = "all", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
    const GatherPlan plan = *GatherPlan::make(storage, all, keys, "a test");
    CHECK(plan.ports()[0].row == Shape{kEarlier, 2});
    Rollout rollout = *Rollout::make(storage, keys, "a test", kSlots - 1);
    std::int64_t begin = 0;
    for (const std::uint32_t steps : {2U, 3U, 8U, 1U, 1U, 4U, 8U}) {
        CAPTURE(begin, steps);
        for (std::uint32_t t = 0; t < steps; ++t) {
            for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
                const float row = row_of(begin + t, lane);
                const std::array both{row, -row};
                std::memcpy(row_at(column.view, storage.head(), lane), both.data(), sizeof both);
            }
            storage.advance();
        }
        rollout.assemble(0, steps);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            check_rows(rollout.views()[0].as<float>() + std::size_t{lane} * kEarlier * 2, begin, lane);
        }
        // sequences of one step, as many as there are transitions
        std::vector<std::uint32_t> slots;
        std::vector<std::uint32_t> lanes;
        for (std::uint32_t i = 0; i < steps * kLanes; ++i) {
            slots.push_back(steps - 1 - i / kLanes);
            lanes.push_back(i % kLanes);
        }
        const std::uint32_t* const slot_array = slots.data();
        const std::uint32_t* const lane_array = lanes.data();
        std::vector<float> rows(slots.size() * kEarlier * 2);
        void* const out = rows.data();
        plan.gather_earlier({.slots = &slot_array, .lanes = &lane_array}, slots.size(), &out);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            check_rows(&rows[i * kEarlier * 2], begin + slots[i], lanes[i]);
        }
        storage.rewind();
        begin += steps;
    }
}

}  // namespace

}  // namespace earlier_test
