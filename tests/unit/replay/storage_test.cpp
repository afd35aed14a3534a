// SPDX-License-Identifier: Apache-2.0
#include "experience/replay/storage.hpp"
#include "experience/replay/extend.hpp"

#include "support/catch.hpp"
#include "world.hpp"

namespace storage_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("the storage holds the latest complete transitions of every lane and no others") {
    const auto seed = GENERATE(range(0U, 60U));
    CAPTURE(seed);
    test::Dice random{seed};
    const auto pick = [&](std::uint32_t low, std::uint32_t high) { return low + random() % (high - low + 1); };
    test::World world(seed, pick(2, 9), pick(1, 5), 3);
    Storage& storage = world.storage;
    for (int t = 0; t < 40; ++t) {
        const std::uint32_t what = random() % 10;
        if (what == 0) {
            std::vector<std::uint8_t> mask(storage.lanes());
            for (auto& byte : mask) {
                byte = static_cast<std::uint8_t>(random() % 2);
            }
            world.begin(mask.data());
        } else if (what == 1 && t > 20) {
            storage.park(pick(0, storage.lanes() - 1));
        } else {
            world.step();
        }
        std::uint64_t total = 0;
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            const auto kept = world.kept(lane);
            total += kept.size();
            REQUIRE(storage.view().count[lane] == kept.size());
            std::vector<bool> expected(storage.slots());
            for (const auto& transition : kept) {
                expected[transition.slot] = true;
            }
            for (std::uint32_t slot = 0; slot < storage.slots(); ++slot) {
                REQUIRE(storage.ring().holds(slot, lane) == expected[slot]);
            }
            REQUIRE((kept.empty() || storage.view().first[lane] == kept.front().slot));
        }
        REQUIRE(storage.view().total == total);
    }
    CHECK_FALSE(storage.ring().holds(storage.slots(), 0));
    CHECK_FALSE(storage.ring().holds(0, storage.lanes()));
}

TEST_CASE("what is shown before some steps is the same however many of them have been made") {
    const auto seed = GENERATE(range(0U, 40U));
    CAPTURE(seed);
    test::Dice random{seed};
    const auto pick = [&](std::uint32_t low, std::uint32_t high) { return low + random() % (high - low + 1); };
    test::World world(seed, pick(3, 9), pick(1, 4), 2);
    Storage& storage = world.storage;
    for (std::uint32_t before = pick(0, 25); before > 0; --before) {
        world.step();
    }
    const std::uint32_t coming = pick(1, storage.slots());
    const auto shown = [&] {
        std::vector<std::uint64_t> out{storage.view().appended, storage.view().total};
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            out.push_back(storage.view().count[lane]);
            out.push_back(storage.view().count[lane] > 0 ? storage.view().first[lane] : 0);
            for (std::uint32_t slot = 0; slot < storage.slots(); ++slot) {
                out.push_back(storage.ring().holds(slot, lane) ? 1 : 0);
            }
        }
        return out;
    };
    storage.ring().show_before(0, coming);
    const auto first = shown();
    CHECK(storage.view().total <= std::uint64_t{storage.lanes()} * (storage.slots() - 1));
    for (std::uint32_t done = 1; done <= coming; ++done) {
        world.step();
        REQUIRE(shown() == first);  // while another thread makes the steps
        storage.ring().show_before(done, coming - done);
        REQUIRE(shown() == first);  // after a part of them
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            for (std::uint32_t slot = 0; slot < storage.slots(); ++slot) {
                if (storage.ring().holds(slot, lane)) {
                    storage.ring().show_all();
                    REQUIRE(storage.ring().holds(slot, lane));  // nothing shown has been overwritten
                    storage.ring().show_before(done, coming - done);
                }
            }
        }
    }
}

TEST_CASE("a reset from outside ends the running episode as truncated and keeps how it ended") {
    test::World world(1, 6, 1, 2);
    Storage& storage = world.storage;
    world.step();
    std::uint8_t* const terminated = storage.find("terminated")->view.as<std::uint8_t>();
    std::uint8_t* const truncated = storage.find("truncated")->view.as<std::uint8_t>();
    terminated[0] = truncated[0] = 0;
    const float last = *static_cast<float*>(row_at(storage.find("observation")->view, 1, 0));
    storage.begin_episodes(nullptr);
    CHECK(truncated[0] == 1);
    CHECK(terminated[0] == 0);
    CHECK(*static_cast<float*>(row_at(storage.find("observation")->final, 0, 0)) == last);
    CHECK(storage.find("is_init")->view.as<std::uint8_t>()[1] == 1);
}

TEST_CASE("rewind carries the head's rows to slot 0 and forgets the rest") {
    test::World world(2, 5, 3, 2);
    Storage& storage = world.storage;
    for (int i = 0; i < 4; ++i) {
        world.step();
    }
    std::vector<float> head(6);
    std::memcpy(head.data(), row_at(storage.find("observation")->view, 4, 0), 24);
    const std::uint8_t* const is_init = storage.find("is_init")->view.as<std::uint8_t>();
    const std::vector<std::uint8_t> starts(is_init + 12, is_init + 15);
    storage.rewind();
    CHECK(storage.head() == 0);
    CHECK(storage.view().total == 0);
    CHECK(std::memcmp(head.data(), row_at(storage.find("observation")->view, 0, 0), 24) == 0);
    CHECK(std::vector<std::uint8_t>(is_init, is_init + 3) == starts);
    world.step();
    CHECK(storage.view().total == 3);
    CHECK(storage.view().first[2] == 0);
}

TEST_CASE("a storage starts with the transitions of another one, the oldest first") {
    test::World world(5, 4, 2, 3);
    for (int i = 0; i < 9; ++i) {  // so that the oldest does not stand in the first slot
        world.step();
    }
    Storage larger = *Storage::make(test::World::columns(3), 9, 2);
    start_with(larger, world.storage);
    CHECK(larger.view().total == world.storage.view().total);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        std::uint32_t slot = larger.view().first[lane];
        for (const test::Transition& transition : world.kept(lane)) {
            std::vector<float> observation(3);
            float reward = 0;
            std::memcpy(observation.data(), row_at(larger.find("observation")->view, slot, lane), 3 * sizeof(float));
            std::memcpy(&reward, row_at(larger.find("reward")->view, slot, lane), sizeof reward);
            CHECK(observation == transition.observation);
            CHECK(reward == transition.reward);
            slot = larger.slot_after(slot);
        }
        CHECK(slot == larger.head());
    }
}

TEST_CASE("a capacity in frames becomes slots, one more for the newest observation") {
    CHECK(Storage::slots_for(100, 4) == 26);
    CHECK(Storage::slots_for(101, 4) == 27);
    CHECK(Storage::slots_for(1, 8) == 2);
    CHECK(Storage::slots_for(0, 8) == 2);
}

TEST_CASE("two storages in one memory have the same rows") {
    const std::vector<StorageColumn> columns = test::World::columns(3);
    const Result<std::size_t> bytes = Storage::bytes_in(columns, 5, 3);
    REQUIRE(bytes);
    Slab memory = *Slab::make(*bytes);
    const Storage one = *Storage::make_in(memory.as<std::byte>(), columns, 5, 3);
    const Storage other = *Storage::make_in(memory.as<std::byte>(), columns, 5, 3);
    const Storage own = *Storage::make(columns, 5, 3);
    REQUIRE(one.columns().size() == own.columns().size());
    std::uint8_t number = 0;
    for (const StorageColumn& column : one.columns()) {
        for (const View& view : {column.view, column.final}) {
            if (view.data != nullptr) {
                std::memset(view.data, ++number, row_bytes(column) * 15);
                CHECK(static_cast<std::byte*>(view.data) + row_bytes(column) * 15 <= memory.as<std::byte>() + *bytes);
            }
        }
    }
    number = 0;
    for (const StorageColumn& column : other.columns()) {
        for (const View& view : {column.view, column.final}) {
            if (view.data != nullptr) {
                ++number;
                CHECK(*static_cast<const std::uint8_t*>(row_at(view, 0, 0)) == number);
                CHECK(*static_cast<const std::uint8_t*>(row_at(view, 4, 2)) == number);
            }
        }
    }
    CHECK(number > 5);
}

TEST_CASE("a storage reads no memory of the columns that it is made of, and keeps final values of observations alone") {
    test::World world(6, 3, 2, 2);
    std::vector<StorageColumn> columns = test::World::columns(2);
    for (StorageColumn& column : columns) {
        const StorageColumn& other = *world.storage.find("observation");
        column.view = other.view;
        column.final = other.final;
    }
    const Storage made = *Storage::make(columns, 3, 2);
    for (const StorageColumn& column : made.columns()) {
        CAPTURE(column.key);
        CHECK(column.view.data != nullptr);
        CHECK(column.view.data != columns.front().view.data);
        CHECK(column.final.data != columns.front().final.data);
        CHECK((column.final.data != nullptr) == (column.key == "observation"));
    }
}

TEST_CASE("columns that cannot be are refused by name") {
    const auto refusal = [](std::vector<StorageColumn> columns) {
        return Storage::make(std::move(columns), 4, 2).error().sentence;
    };
    const auto column = [](const char* key, const Shape& row = {}) {
        return StorageColumn{
            .key = key, .role = Role::kExtra, .dtype = DType::kF32, .row = row, .view = {}, .final = {}};
    };
    CHECK_THAT(refusal({column("terminated")}), ContainsSubstring("'terminated'"));
    CHECK_THAT(refusal({column("next.x")}), ContainsSubstring("'next.x'"));
    CHECK_THAT(refusal({column("a"), column("a")}), ContainsSubstring("the same key"));
    CHECK_THAT(refusal({column("a"), column("a.b")}), ContainsSubstring("continues"));
    CHECK_THAT(refusal({column("a", {0})}), ContainsSubstring("[0]"));
    CHECK_THAT(refusal({column("a b")}), ContainsSubstring("'a b'"));
    CHECK_THAT(Storage::make({column("a")}, 1, 2).error().sentence, ContainsSubstring("2 slots"));
    CHECK(Storage::make({column("a", {std::int64_t{1} << 40})}, 1U << 31, 1U << 31).error().fault ==
          Fault::kEnvironment);
}

}  // namespace

}  // namespace storage_test
