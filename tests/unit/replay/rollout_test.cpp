// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/rollout.hpp"

#include "support/catch.hpp"
#include "world.hpp"

namespace rollout_test {

namespace {

using namespace tenon;

const std::vector<std::string> kKeys = {"observation",      "action",    "next.reward",
                                        "next.observation", "next.done", "next.terminated"};

template <class T>
T at(const View& view, std::uint32_t t, std::uint32_t lane, std::int64_t element = 0) {
    T out{};
    std::memcpy(&out, static_cast<T*>(row_at(view, t, lane)) + element, sizeof out);
    return out;
}

TEST_CASE("a rollout shows every lane's transitions in time, wrapped or not") {
    const auto seed = GENERATE(range(0U, 60U));
    CAPTURE(seed);
    test::Dice random{seed};
    const std::uint32_t slots = 3 + random() % 8;
    test::World world(seed, slots, 1 + random() % 4, 3);
    Result<Rollout> made = Rollout::make(world.storage, kKeys, "objective test", slots - 1);
    REQUIRE(made);
    Rollout& rollout = *made;
    for (std::uint32_t t = slots + random() % 20; t > 0; --t) {
        world.step();
    }
    const std::uint32_t steps = 1 + random() % (slots - 1);
    const std::uint32_t skip = random() % (slots - steps);
    const std::uint32_t first = world.kept(0)[skip].slot;
    rollout.assemble(first, steps);
    for (std::uint32_t lane = 0; lane < world.storage.lanes(); ++lane) {
        const auto kept = world.kept(lane);
        for (std::uint32_t t = 0; t < steps; ++t) {
            const test::Transition& happened = kept[skip + t];
            CAPTURE(lane, t);
            REQUIRE(rollout.views()[0].shape == Shape{steps, world.storage.lanes(), 3});
            REQUIRE(at<float>(rollout.views()[0], t, lane, 2) == happened.observation[2]);
            REQUIRE(at<std::int64_t>(rollout.views()[1], t, lane) == happened.action);
            REQUIRE(at<float>(rollout.views()[2], t, lane) == happened.reward);
            REQUIRE(at<float>(rollout.views()[3], t, lane, 1) == happened.next_observation[1]);
            REQUIRE(at<std::uint8_t>(rollout.views()[4], t, lane) == (happened.terminated | happened.truncated));
            REQUIRE(at<std::uint8_t>(rollout.views()[5], t, lane) == happened.terminated);
        }
    }
}

TEST_CASE("root columns of a range that does not wrap are the storage itself") {
    test::World world(1, 9, 2, 3);
    Result<Rollout> rollout = Rollout::make(world.storage, kKeys, "objective test", 8);
    REQUIRE(rollout);
    for (int i = 0; i < 8; ++i) {
        world.step();
    }
    rollout->assemble(0, 8);
    CHECK(rollout->views()[0].data == world.storage.find("observation")->view.data);
    CHECK(rollout->views()[2].data == world.storage.find("reward")->view.data);
    CHECK(rollout->views()[3].data != world.storage.find("observation")->view.data);
    for (const View& view : rollout->views()) {
        CHECK(view.contiguous());
    }
}

TEST_CASE("a rollout longer than the ring, or of an unknown column, is refused") {
    const Storage storage = *Storage::make(test::World::columns(2), 4, 2);
    CHECK_FALSE(Rollout::make(storage, kKeys, "objective test", 4));
    const std::vector<std::string> wrong = {"reward"};
    CHECK_THAT(Rollout::make(storage, wrong, "objective test", 3).error().sentence,
               Catch::Matchers::ContainsSubstring("'next.reward'"));
}

}  // namespace

}  // namespace rollout_test
