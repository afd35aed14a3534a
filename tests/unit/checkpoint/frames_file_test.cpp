// SPDX-License-Identifier: Apache-2.0
// A saved storage comes back so that nobody can tell, and a damaged one does not come back at all.
#include "experience/replay/extend.hpp"
#include "saved_frames.hpp"
#include "support/catch.hpp"
#include "unit/replay/world.hpp"

namespace frames_file_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

using test::load;
using test::loaded;
using test::saved;

// A few steps of three lanes in a few slots, some of which are given up on the way.
test::World played(unsigned seed) {
    test::Dice random{seed};
    const std::uint32_t slots = 2 + random() % 8;
    test::World world(seed, slots, 3, 2);
    const std::uint32_t steps = random() % 30;
    for (std::uint32_t t = 0; t < steps; ++t) {
        world.step();
        if (random() % 25 == 0) {
            world.storage.park(random() % 3);
        }
    }
    return world;
}

TEST_CASE("restored live rows, final values and counters are the bytes that were saved") {
    const auto seed = GENERATE(range(0U, 40U));
    CAPTURE(seed);
    const test::World world = played(seed);
    const std::uint32_t slots = world.storage.slots();
    Storage other = *Storage::make(test::World::columns(2), slots, 3);
    REQUIRE(load(other, saved(world.storage)));
    CHECK(other.head() == world.storage.head());
    CHECK(other.view().total == world.storage.view().total);
    CHECK(other.view().appended == world.storage.view().appended);
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        CHECK(other.parked()[lane] == world.storage.parked()[lane]);
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            REQUIRE(other.ring().holds(slot, lane) == world.storage.ring().holds(slot, lane));
            if (!other.ring().holds(slot, lane) && slot != other.head()) {
                continue;
            }
            for (const StorageColumn& column : world.storage.columns()) {
                CAPTURE(column.key, slot, lane);
                const StorageColumn& same = *other.find(column.key);
                CHECK(std::memcmp(row_at(column.view, slot, lane), row_at(same.view, slot, lane), row_bytes(column)) ==
                      0);
            }
        }
        for (const auto& transition : world.kept(lane)) {
            if ((transition.terminated | transition.truncated) != 0) {
                CHECK(std::memcmp(row_at(other.find("observation")->final, transition.slot, lane),
                                  transition.next_observation.data(), 2 * sizeof(float)) == 0);
            }
        }
    }
    CHECK(saved(other) == saved(world.storage));
}

// What there is of a lane, from its oldest transition to its newest, whatever the slots are.
std::vector<std::byte> transitions(const Storage& storage, std::uint32_t lane) {
    std::vector<std::byte> out;
    const auto add = [&](const View& view, std::uint32_t slot, std::size_t size) {
        const auto* const row = static_cast<const std::byte*>(row_at(view, slot, lane));
        out.insert(out.end(), row, row + size);
    };
    std::uint32_t slot = storage.view().first[lane];
    for (std::uint32_t i = 0; i < storage.view().count[lane]; ++i, slot = storage.slot_after(slot)) {
        for (const StorageColumn& column : storage.columns()) {
            const bool ended = storage.flags().ended(slot, lane);
            add(column.view, slot, row_bytes(column));
            if (column.final.data != nullptr) {
                add(ended ? column.final : column.view, ended ? slot : storage.slot_after(slot), row_bytes(column));
            }
        }
    }
    return out;
}

TEST_CASE("a storage begins with what another one of the same lanes held") {
    const auto seed = GENERATE(range(0U, 40U));
    CAPTURE(seed);
    const test::World world = played(seed);
    const Storage other = *loaded(saved(world.storage));
    CHECK(saved(other) == saved(world.storage));
    for (const std::uint32_t more : {0U, 1U, 5U}) {
        Storage begun = *Storage::make(test::World::columns(2), other.ring().live_slots() + 1 + more, 3);
        start_with(begun, other);
        CHECK(begun.view().total == other.view().total);
        CHECK(begun.view().appended == other.ring().live_slots() - 1);
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            CHECK(transitions(begun, lane) == transitions(world.storage, lane));
        }
    }
}

TEST_CASE("only what is live is saved") {
    test::World world(3, 1000, 2, 2);
    for (int i = 0; i < 10; ++i) {
        world.step();
    }
    const std::size_t ten = saved(world.storage).size();
    for (int i = 0; i < 10; ++i) {
        world.step();
    }
    const std::size_t twenty = saved(world.storage).size();
    CHECK(twenty > ten);
    CHECK(twenty < 6000);
}

TEST_CASE("a storage cut anywhere is refused and leaves an empty one") {
    test::World world(4, 5, 2, 2);
    for (int i = 0; i < 7; ++i) {
        world.step();
    }
    const std::string whole = saved(world.storage);
    Storage other = *Storage::make(test::World::columns(2), 5, 2);
    for (std::size_t n = 0; n < whole.size(); ++n) {
        CAPTURE(n);
        const Status status = load(other, whole.substr(0, n));
        REQUIRE_FALSE(status);
        REQUIRE(status.error().fault == Fault::kInput);
        REQUIRE(other.view().total == 0);
    }
    REQUIRE(load(other, whole));
    CHECK(other.view().total == 8);
}

TEST_CASE("no damaged byte makes the counters point outside") {
    test::World world(5, 5, 2, 2);
    for (int i = 0; i < 7; ++i) {
        world.step();
    }
    const std::string whole = saved(world.storage);
    const test::ScratchFolder folder;
    Storage other = *Storage::make(test::World::columns(2), 5, 2);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ std::array{1, 128, 255}[at % 3]);
        test::spill(folder / "frames", damaged);
        if (restore_frames(other, folder / "frames")) {
            REQUIRE(other.head() < 5);
            for (std::uint32_t lane = 0; lane < 2; ++lane) {
                REQUIRE(other.view().first[lane] < 5);
                REQUIRE(other.view().count[lane] < 5);
            }
        }
    }
}

TEST_CASE("another storage's contents are refused with both descriptions") {
    test::World world(6, 5, 2, 2);
    Storage other = *Storage::make(test::World::columns(3), 5, 2);
    const Status status = load(other, saved(world.storage));
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().sentence, ContainsSubstring("observation:float32[2]"));
    CHECK_THAT(status.error().sentence, ContainsSubstring("observation:float32[3]"));
}

// What another program would write: two lanes of four steps, of which the first ends after two.
struct Foreign {
    std::vector<float> observation{0, 10, 1, 11, 2, 12, 3, 13, 4, 14};
    std::vector<float> final{99};
    std::vector<float> reward{1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    std::vector<std::uint8_t> terminated{0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    std::vector<std::uint8_t> truncated = std::vector<std::uint8_t>(10, 0);
    std::vector<std::int64_t> count{4, 4};
    TensorMetadata about{{"format", "tenon frames/1"}, {"role.observation", "observation"}, {"role.reward", "reward"}};
    std::vector<StoredTensor> tensors{
        {.name = "observation", .dtype = TN_F32, .shape = {5, 2}, .data = observation.data()},
        {.name = "observation/final", .dtype = TN_F32, .shape = {1}, .data = final.data()},
        {.name = "reward", .dtype = TN_F32, .shape = {5, 2}, .data = reward.data()},
        {.name = "terminated", .dtype = TN_BOOL, .shape = {5, 2}, .data = terminated.data()},
        {.name = "truncated", .dtype = TN_BOOL, .shape = {5, 2}, .data = truncated.data()}};

    [[nodiscard]] Result<SavedFrames> read() const {
        const test::ScratchFolder folder;
        REQUIRE(write_safetensors(folder / "frames", tensors, about));
        return read_frames(folder / "frames");
    }
    [[nodiscard]] std::string refusal() const {
        const Result<SavedFrames> frames = read();
        REQUIRE_FALSE(frames);
        CHECK(frames.error().fault == Fault::kInput);
        return frames.error().sentence;
    }
};

TEST_CASE("a file of another program's needs its columns and what they are") {
    const Result<SavedFrames> frames = Foreign().read();
    REQUIRE(frames);
    const Storage& storage = frames->storage;
    CHECK(storage.slots() == 5);
    CHECK(storage.view().total == 8);
    CHECK(storage.head() == 4);
    const auto* const begins = storage.find("is_init")->view.as<std::uint8_t>();
    CHECK(std::vector<std::uint8_t>(begins, begins + 10) == std::vector<std::uint8_t>{1, 1, 0, 0, 1, 0, 0, 0, 0, 0});
    CHECK(*static_cast<const float*>(row_at(storage.find("observation")->final, 1, 0)) == 99);
    CHECK(*static_cast<const float*>(row_at(storage.find("observation")->view, 3, 1)) == 13);
}

TEST_CASE("a file that is not one of frames is refused with what is missing") {
    Foreign foreign;
    SECTION("no format") {
        foreign.about.erase("format");
        CHECK_THAT(foreign.refusal(), ContainsSubstring(R"(its metadata must have "format" = "tenon frames/1")"));
    }
    SECTION("no flags") {
        foreign.tensors.pop_back();
        CHECK_THAT(foreign.refusal(), ContainsSubstring("there must be a tensor 'truncated', BOOL [slots, lanes]"));
    }
    SECTION("no role") {
        foreign.about["role.reward"] = "revard";
        CHECK_THAT(foreign.refusal(),
                   ContainsSubstring(R"("role.reward" = observation, action, reward, state or extra)"));
    }
    SECTION("a column of other rows") {
        foreign.tensors[2].shape = {10, 1};
        CHECK_THAT(foreign.refusal(), ContainsSubstring("'reward' is not [5, 2, row...] like the flags"));
    }
    SECTION("ends that nothing is known of") {
        foreign.terminated[5] = 1;
        CHECK_THAT(foreign.refusal(), ContainsSubstring("there must be a tensor 'observation/final', F32 [2]"));
    }
    SECTION("a flag that is none") {
        foreign.terminated[5] = 7;
        CHECK_THAT(foreign.refusal(), ContainsSubstring("'terminated' has a byte other than 0 and 1"));
    }
    SECTION("a ring that cannot be") {
        for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
                 {"slots", "3"}, {"head", "9"}, {"head", "2"}, {"appended", "x"}}) {
            Foreign other;
            other.about["slots"] = "9";
            other.about[key] = value;
            CAPTURE(key, value);
            CHECK_THAT(other.refusal(), ContainsSubstring("does not hold readable frames"));
        }
    }
    SECTION("more than there is") {
        foreign.count[1] = 5;
        foreign.tensors.push_back({.name = "lanes/count", .dtype = TN_I64, .shape = {2}, .data = foreign.count.data()});
        CHECK_THAT(foreign.refusal(), ContainsSubstring("'lanes/count' is more than its frames"));
    }
}

}  // namespace

}  // namespace frames_file_test
