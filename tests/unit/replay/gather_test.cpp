// SPDX-License-Identifier: Apache-2.0
// Gathered rows against the plain record of a random world, for every row size, and what a wrong plan is told.
#include "experience/replay/gather.hpp"

#include "support/catch.hpp"
#include "world.hpp"

namespace gather_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

SamplerPlan everything() {
    return {.sampler = "replay/test", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
}

const std::vector<std::string> kKeys = {"observation",      "action",    "next.reward",
                                        "next.observation", "next.done", "next.terminated",
                                        "next.truncated",   "is_init",   "observation"};

struct Destinations {
    explicit Destinations(const GatherPlan& plan, std::size_t rows) {
        for (const Port& port : plan.ports()) {
            slabs.push_back(*Slab::make(rows * row_bytes(port)));
            pointers.push_back(slabs.back().data());
        }
    }
    std::vector<Slab> slabs;
    std::vector<void*> pointers;
};

TEST_CASE("every transition that is held is gathered as it happened") {
    const auto seed = GENERATE(range(0U, 60U));
    const auto width = GENERATE(as<std::int64_t>{}, 1, 2, 3, 4, 5, 6, 8, 16, 33);
    CAPTURE(seed, width);
    test::Dice random{seed};
    test::World world(seed, 2 + random() % 9, 1 + random() % 4, width);
    for (std::uint32_t t = 1 + random() % 30; t > 0; --t) {
        world.step();
        if (random() % 7 == 0) {
            world.begin(nullptr);
        }
    }
    const Result<GatherPlan> plan = GatherPlan::make(world.storage, everything(), kKeys, "objective test");
    REQUIRE(plan);
    REQUIRE(plan->ports().size() == 8);
    std::vector<std::uint32_t> slots;
    std::vector<std::uint32_t> lanes;
    std::vector<test::Transition> expected;
    for (std::uint32_t lane = 0; lane < world.storage.lanes(); ++lane) {
        for (const auto& transition : world.kept(lane)) {
            slots.push_back(transition.slot);
            lanes.push_back(lane);
            expected.push_back(transition);
        }
    }
    const Destinations out(*plan, slots.size());
    const std::uint32_t* const slot_array = slots.data();
    const std::uint32_t* const lane_array = lanes.data();
    // In two ranges, as threads would.
    const std::size_t half = slots.size() / 2;
    const SampledRows sampled{.slots = &slot_array, .lanes = &lane_array, .columns = nullptr};
    plan->gather(sampled, 0, half, out.pointers.data());
    plan->gather(sampled, half, slots.size() - half, out.pointers.data());
    const auto n = static_cast<std::size_t>(width);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        const test::Transition& t = expected[i];
        REQUIRE(std::memcmp(out.slabs[0].as<float>() + i * n, t.observation.data(), n * sizeof(float)) == 0);
        REQUIRE(out.slabs[1].as<std::int64_t>()[i] == t.action);
        REQUIRE(out.slabs[2].as<float>()[i] == t.reward);
        REQUIRE(std::memcmp(out.slabs[3].as<float>() + i * n, t.next_observation.data(), n * sizeof(float)) == 0);
        REQUIRE(out.slabs[4].as<std::uint8_t>()[i] == (t.terminated | t.truncated));
        REQUIRE(out.slabs[5].as<std::uint8_t>()[i] == t.terminated);
        REQUIRE(out.slabs[6].as<std::uint8_t>()[i] == t.truncated);
        REQUIRE(out.slabs[7].as<std::uint8_t>()[i] == t.is_init);
    }
}

TEST_CASE("lines name arrays and targets, and the sampler's own columns stand beside them") {
    test::World world(1, 8, 2, 1);
    for (int i = 0; i < 7; ++i) {
        world.step();
    }
    SamplerPlan sampler = everything();
    sampler.array_count = 2;
    sampler.lines.push_back({1, "next.observation", "next.observation"});
    sampler.lines.push_back({1, "next.reward", "end.reward"});
    sampler.columns.push_back({"weight", DType::kF64, {}});
    const std::vector<std::string> keys = {"weight", "end.reward", "next.reward", "next.observation"};
    const Result<GatherPlan> plan = GatherPlan::make(world.storage, sampler, keys, "objective test");
    REQUIRE(plan);
    const std::vector<std::uint32_t> start = {0, 1};
    const std::vector<std::uint32_t> end = {3, 2};
    const std::vector<std::uint32_t> lane = {1, 0};
    const std::vector<double> weight = {0.5, 0.25};
    const std::uint32_t* const slots[] = {start.data(), end.data()};
    const std::uint32_t* const lanes[] = {lane.data(), lane.data()};
    const void* const columns[] = {weight.data()};
    const Destinations out(*plan, 2);
    plan->gather({.slots = slots, .lanes = lanes, .columns = columns}, 0, 2, out.pointers.data());
    CHECK(out.slabs[0].as<double>()[1] == 0.25);
    CHECK(out.slabs[1].as<float>()[0] == world.record[1][3].reward);
    CHECK(out.slabs[1].as<float>()[1] == world.record[0][2].reward);
    CHECK(out.slabs[2].as<float>()[0] == world.record[1][0].reward);
    CHECK(out.slabs[3].as<float>()[0] == world.record[1][3].next_observation[0]);
}

TEST_CASE("a line may gather at several arrays, and next.* stands for all that is under next.") {
    test::World world(3, 8, 2, 2);
    for (int i = 0; i < 7; ++i) {
        world.step();
    }
    SamplerPlan sampler = everything();
    sampler.array_count = 3;
    sampler.lines.push_back({0, "next.observation", "observations", 3});
    sampler.lines.push_back({0, "next.reward", "next.rewards", 2});
    sampler.lines.push_back({2, "next.*", "next.*"});
    const std::vector<std::string> keys = {"observations", "next.rewards", "next.reward", "next.observation",
                                           "observation"};
    const Result<GatherPlan> plan = GatherPlan::make(world.storage, sampler, keys, "objective test");
    REQUIRE(plan);
    CHECK(plan->ports()[0].row == Shape{3, 2});
    CHECK(plan->ports()[1].row == Shape{2});
    CHECK(plan->ports()[2].row == Shape{});
    const std::vector<std::vector<std::uint32_t>> slot = {{0, 4, 2}, {1, 5, 3}, {2, 6, 3}};
    const std::vector<std::uint32_t> lane = {1, 0, 1};
    const std::uint32_t* const slots[] = {slot[0].data(), slot[1].data(), slot[2].data()};
    const std::uint32_t* const lanes[] = {lane.data(), lane.data(), lane.data()};
    const Destinations out(*plan, 3);
    const SampledRows sampled{.slots = slots, .lanes = lanes, .columns = nullptr};
    plan->gather(sampled, 0, 1, out.pointers.data());
    plan->gather(sampled, 1, 2, out.pointers.data());
    for (std::size_t row = 0; row < 3; ++row) {
        CAPTURE(row);
        const auto at = [&](std::size_t array) -> const test::Transition& {
            return world.record[lane[row]][slot[array][row]];
        };
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(std::memcmp(out.slabs[0].as<float>() + (row * 3 + k) * 2, at(k).next_observation.data(),
                              2 * sizeof(float)) == 0);
        }
        CHECK(out.slabs[1].as<float>()[row * 2] == at(0).reward);
        CHECK(out.slabs[1].as<float>()[row * 2 + 1] == at(1).reward);
        CHECK(out.slabs[2].as<float>()[row] == at(2).reward);
        CHECK(std::memcmp(out.slabs[3].as<float>() + row * 2, at(2).next_observation.data(), 2 * sizeof(float)) == 0);
        CHECK(std::memcmp(out.slabs[4].as<float>() + row * 2, at(0).observation.data(), 2 * sizeof(float)) == 0);
    }
}

TEST_CASE("a line of one array keeps its size if it is asked to") {
    test::World world(3, 8, 2, 2);
    for (int i = 0; i < 7; ++i) {
        world.step();
    }
    SamplerPlan sampler = everything();
    sampler.lines.push_back({0, "next.observation", "observations", 1, true});
    sampler.lines.push_back({0, "next.reward", "next.rewards", 1, true});
    const std::vector<std::string> keys = {"observations", "next.rewards", "next.reward"};
    const Result<GatherPlan> plan = GatherPlan::make(world.storage, sampler, keys, "objective test");
    REQUIRE(plan);
    CHECK(plan->ports()[0].row == Shape{1, 2});
    CHECK(plan->ports()[1].row == Shape{1});
    CHECK(plan->ports()[2].row == Shape{});
    const std::vector<std::uint32_t> slot = {0, 4, 2};
    const std::vector<std::uint32_t> lane = {1, 0, 1};
    const std::uint32_t* const slots = slot.data();
    const std::uint32_t* const lanes = lane.data();
    const Destinations out(*plan, 3);
    plan->gather({.slots = &slots, .lanes = &lanes, .columns = nullptr}, 0, 3, out.pointers.data());
    for (std::size_t row = 0; row < 3; ++row) {
        const test::Transition& at = world.record[lane[row]][slot[row]];
        CHECK(std::memcmp(out.slabs[0].as<float>() + row * 2, at.next_observation.data(), 2 * sizeof(float)) == 0);
        CHECK(out.slabs[1].as<float>()[row] == at.reward);
    }
}

TEST_CASE("a column of the sampler may have several elements per row") {
    test::World world(1, 8, 1, 1);
    for (int i = 0; i < 4; ++i) {
        world.step();
    }
    SamplerPlan sampler = everything();
    sampler.columns.push_back({"present", DType::kBool, Shape{3}});
    const std::vector<std::string> keys = {"present"};
    const Result<GatherPlan> plan = GatherPlan::make(world.storage, sampler, keys, "objective test");
    REQUIRE(plan);
    REQUIRE(plan->ports()[0].row == Shape{3});
    const std::vector<std::uint32_t> slot = {0, 2};
    const std::vector<std::uint32_t> lane = {0, 0};
    const std::vector<std::uint8_t> present = {0, 1, 1, 0, 0, 1};
    const std::uint32_t* const slots[] = {slot.data()};
    const std::uint32_t* const lanes[] = {lane.data()};
    const void* const columns[] = {present.data()};
    const Destinations out(*plan, 2);
    const SampledRows sampled{.slots = slots, .lanes = lanes, .columns = columns};
    plan->gather(sampled, 0, 1, out.pointers.data());
    plan->gather(sampled, 1, 1, out.pointers.data());
    CHECK(std::memcmp(out.slabs[0].as<std::uint8_t>(), present.data(), present.size()) == 0);
}

TEST_CASE("a plan that cannot work says who wants what") {
    const Storage storage = *Storage::make(test::World::columns(2), 4, 2);
    const auto refusal = [&](const SamplerPlan& sampler, const std::string& key, std::string_view reader) {
        const std::vector<std::string> keys = {key};
        const Result<GatherPlan> plan = GatherPlan::make(storage, sampler, keys, reader);
        REQUIRE_FALSE(plan);
        return plan.error().sentence;
    };
    CHECK_THAT(
        refusal(everything(), "observatoin", "objective test"),
        ContainsSubstring("objective test reads 'observatoin'") && ContainsSubstring("did you mean 'observation'?"));
    SamplerPlan few = everything();
    few.lines = {{0, "observation", "observation"}};
    CHECK_THAT(refusal(few, "action", "objective test"), ContainsSubstring("the batches of replay/test do not have"));
    few.lines = {{0, "observation", "start"}};
    CHECK_THAT(refusal(few, "stat", "objective test"), ContainsSubstring("did you mean 'start'?"));
    few.lines = {{0, "obs", "observation"}, {0, "*", "*"}};
    CHECK_THAT(refusal(few, "action", "objective test"), ContainsSubstring("replay/test reads 'obs'"));
}

}  // namespace

}  // namespace gather_test
