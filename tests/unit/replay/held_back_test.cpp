// SPDX-License-Identifier: Apache-2.0
// Sampled sequences of histories: whichever transition samplers may choose, the rows of the steps before it are in the
// ring.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "experience/replay/gather.hpp"
#include "experience/replay/rollout.hpp"
#include "experience/replay/storage.hpp"
#include "support/catch.hpp"

namespace held_back_test {

namespace {

using namespace tenon;

constexpr std::uint32_t kLanes = 3;
constexpr std::uint32_t kEarlier = 4;
constexpr std::uint32_t kShown = 6;  // transitions of a lane

Storage make_storage() {
    Spec spec;
    spec.key = "trunk.keys";
    spec.dtype = DType::kF32;
    spec.shape = Shape{kEarlier};
    return *Storage::make({state_column(spec, kEarlier, true)}, kShown + kEarlier + 1, kLanes);
}

// Writes the number of the step, from 1, and its lane.
void step(Storage& storage, std::uint32_t number) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const float row = static_cast<float>(number) + 100.0F * static_cast<float>(lane);
        std::memcpy(row_at(storage.find("trunk.keys")->view, storage.head(), lane), &row, sizeof row);
    }
    storage.advance();
}

// The rows before each transition that is shown, the oldest transition first.
std::vector<float> rows_before(const Storage& storage, std::uint32_t lane) {
    const std::vector<std::string> keys = {"trunk.keys"};
    const SamplerPlan all{.sampler = "all", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
    const GatherPlan plan = *GatherPlan::make(storage, all, keys, "a test");
    const tn_buffer_view& view = storage.view();
    std::vector<std::uint32_t> slots;
    for (std::uint32_t age = 0; age < view.count[lane]; ++age) {
        slots.push_back((view.first[lane] + age) % view.slots);
        CHECK(storage.ring().holds(slots.back(), lane));
    }
    const std::vector<std::uint32_t> lanes(slots.size(), lane);
    const std::uint32_t* const slot_array = slots.data();
    const std::uint32_t* const lane_array = lanes.data();
    std::vector<float> out(slots.size() * kEarlier);
    void* const to = out.data();
    plan.gather_earlier({.slots = &slot_array, .lanes = &lane_array}, slots.size(), &to);
    return out;
}

// Those of steps that there were; steps before the first one have any row.
void check_rows(const std::vector<float>& rows, std::uint32_t first, std::uint32_t lane) {
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
        const std::int64_t number = std::int64_t{first} + i / kEarlier - kEarlier + i % kEarlier;
        if (number >= 1) {
            CHECK(rows[i] == static_cast<float>(number) + 100.0F * static_cast<float>(lane));
        }
    }
}

TEST_CASE("samplers see the capacity, and the ring holds the rows before what they see") {
    Storage storage = make_storage();
    for (std::uint32_t number = 1; number <= 40; ++number) {
        CAPTURE(number);
        step(storage, number);
        const std::uint32_t shown = std::min(number, kShown);
        CHECK(storage.view().total == shown * kLanes);
        CHECK(storage.view().appended == number);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            CHECK(storage.view().count[lane] == shown);
            check_rows(rows_before(storage, lane), number - shown + 1, lane);
        }
    }
}

TEST_CASE("a storage that is restored, and one that shows what was before running steps, hold rows back as well") {
    Storage storage = make_storage();
    for (std::uint32_t number = 1; number <= 23; ++number) {
        step(storage, number);
    }
    const Ring::Position position = storage.ring().position();
    CHECK(position.count[0] == kShown + kEarlier);  // a checkpoint has all of them
    REQUIRE(storage.stand_at(position));
    CHECK(storage.view().count[1] == kShown);
    storage.ring().show_before(0, 2);
    for (std::uint32_t number = 24; number <= 25; ++number) {
        step(storage, number);
        CHECK(storage.view().count[1] == kShown - 2);
        CHECK(storage.view().appended == 23);
        check_rows(rows_before(storage, 1), 23 - kShown + 2 + 1, 1);
    }
    storage.ring().show_all();
    CHECK(storage.view().count[1] == kShown);
    CHECK(storage.view().appended == 25);
    check_rows(rows_before(storage, 1), 25 - kShown + 1, 1);
}

TEST_CASE("readers of whole rounds do not get rows of sampled sequences") {
    const Storage storage = make_storage();
    const std::vector<std::string> keys = {"trunk.keys"};
    const Result<Rollout> made = Rollout::make(storage, keys, "hooks/frames", 2);
    REQUIRE_FALSE(made);
    CHECK(made.error().sentence ==
          "hooks/frames reads 'trunk.keys', the rows of a history, which in this run only sampled sequences have");
}

}  // namespace

}  // namespace held_back_test
