// SPDX-License-Identifier: Apache-2.0
// A saved storage comes back so that nobody can tell, and a damaged one does not come back at all.
#include "support/catch.hpp"
#include "unit/data/memory_stream.hpp"
#include "world.hpp"

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

std::vector<std::byte> saved(const Storage& storage) {
    test::MemoryStream stream;
    REQUIRE(storage.save(stream.writer()));
    return stream.data;
}

Status load(Storage& storage, const std::vector<std::byte>& bytes) {
    test::MemoryStream stream;
    stream.data = bytes;
    return storage.load(stream.reader());
}

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
            REQUIRE(other.holds(slot, lane) == world.storage.holds(slot, lane));
            if (!other.holds(slot, lane) && slot != other.head()) {
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

Storage loaded(const std::vector<std::byte>& bytes) {
    test::MemoryStream stream;
    stream.data = bytes;
    return *Storage::loaded(stream.reader());
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
            const std::size_t at = std::size_t{slot} * storage.lanes() + lane;
            const bool ended = (storage.terminated()[at] | storage.truncated()[at]) != 0;
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
    const Storage other = loaded(saved(world.storage));
    CHECK(saved(other) == saved(world.storage));
    for (const std::uint32_t more : {0U, 1U, 5U}) {
        Storage begun = *Storage::make(test::World::columns(2), other.live_slots() + 1 + more, 3);
        begun.take(other);
        CHECK(begun.view().total == other.view().total);
        CHECK(begun.view().appended == other.live_slots() - 1);
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
    CHECK(twenty < 3000);
}

TEST_CASE("a storage cut anywhere is refused and leaves an empty one") {
    test::World world(4, 5, 2, 2);
    for (int i = 0; i < 7; ++i) {
        world.step();
    }
    const std::vector<std::byte> whole = saved(world.storage);
    Storage other = *Storage::make(test::World::columns(2), 5, 2);
    for (std::size_t n = 0; n < whole.size(); ++n) {
        CAPTURE(n);
        const Status status = load(other, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)});
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
    const std::vector<std::byte> whole = saved(world.storage);
    Storage other = *Storage::make(test::World::columns(2), 5, 2);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const int change : {1, 128, 255}) {
            std::vector<std::byte> damaged = whole;
            damaged[at] ^= static_cast<std::byte>(change);
            const Status status = load(other, damaged);
            if (status) {
                REQUIRE(other.head() < 5);
                for (std::uint32_t lane = 0; lane < 2; ++lane) {
                    REQUIRE(other.view().first[lane] < 5);
                    REQUIRE(other.view().count[lane] < 5);
                }
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

}  // namespace
