// SPDX-License-Identifier: Apache-2.0
// What a keeper has kept comes back from its file with all its counters, and goes on as if it had never been away.
#include "train/checkpoint/kept_file.hpp"

#include <algorithm>
#include <cstring>

#include "base/random/key.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "unit/replay/world.hpp"

namespace kept_file_test {

namespace {

using namespace tenon;

constexpr std::uint32_t kRows = 20;

Keeper keeper_of(const test::World& world, Keeping keeping) {
    Result<Keeper> made =
        Keeper::make(world.storage, kRows, {.keeping = keeping, .by = "reward", .key = make_key(1, "buffer/write")});
    REQUIRE(made);
    return std::move(*made);
}

void check_same(const Keeper& a, const Keeper& b) {
    const Keeper::Memory& x = a.memory();
    const Keeper::Memory& y = b.memory();
    CHECK(x.taken == y.taken);
    CHECK(x.seen == y.seen);
    CHECK(x.used == y.used);
    CHECK(x.begins == y.begins);
    CHECK(x.order == y.order);
    CHECK(std::ranges::equal(x.episodes, y.episodes, [](const Keeper::Episode& one, const Keeper::Episode& other) {
        return one.score == other.score && one.length == other.length;
    }));
    CHECK(a.storage().view().total == b.storage().view().total);
    CHECK(a.storage().view().appended == b.storage().view().appended);
    for (std::size_t i = 0; i < a.storage().columns().size(); ++i) {
        const StorageColumn& column = a.storage().columns()[i];
        for (std::uint32_t slot = 0; slot < x.used; ++slot) {
            CAPTURE(column.key, slot);
            const void* const other = row_at(b.storage().columns()[i].view, slot, 0);
            CHECK(std::memcmp(row_at(column.view, slot, 0), other, row_bytes(column)) == 0);
        }
    }
}

}  // namespace

TEST_CASE("a keeper of several lanes that was saved and restored goes on as the one that was not") {
    const auto keeping = GENERATE(Keeping::kBest, Keeping::kReservoir);
    const test::ScratchFolder scratch;
    test::World world(7, 200, 2, 3);
    Keeper keeper = keeper_of(world, keeping);
    const auto go_on = [&] {
        for (int step = 0; step < 25; ++step) {
            world.step();
        }
        keeper.take(world.storage);
    };
    go_on();
    const Keeper::Memory& memory = keeper.memory();
    REQUIRE((memory.taken != memory.seen && memory.seen > memory.used));  // each number has a value of its own
    REQUIRE(write_kept(keeper, scratch / "kept.safetensors"));
    Keeper restored = keeper_of(world, keeping);
    REQUIRE(restore_kept(restored, scratch / "kept.safetensors"));
    check_same(keeper, restored);
    go_on();
    restored.take(world.storage);
    check_same(keeper, restored);
}

}  // namespace kept_file_test
