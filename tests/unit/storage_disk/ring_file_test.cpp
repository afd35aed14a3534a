// SPDX-License-Identifier: Apache-2.0
// A storage on a disk goes back to where a checkpoint's file was written, and nobody can tell.
#include "engines/storage_disk/ring_file.hpp"

#include "engines/storage_disk/storage_on_disk.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "unit/replay/world.hpp"

namespace ring_file_test {

namespace {

using namespace tenon;

constexpr std::uint32_t kSlots = 10;
constexpr std::uint32_t kLanes = 3;

std::string row_of(const View& view, std::uint32_t slot, std::uint32_t lane, const StorageColumn& column) {
    return {static_cast<const char*>(row_at(view, slot, lane)), row_bytes(column)};
}

// All that the storage has of a lane: its transitions with final values, and the head.
std::vector<std::string> held(const Storage& storage, std::uint32_t lane) {
    std::vector<std::string> out;
    for (const StorageColumn& column : storage.columns()) {
        for (std::uint32_t i = 0; i < storage.view().count[lane]; ++i) {
            const std::uint32_t slot = (storage.view().first[lane] + i) % storage.slots();
            out.push_back(row_of(column.view, slot, lane, column));
            if (column.final.data != nullptr && storage.flags().ended(slot, lane)) {
                out.push_back(row_of(column.final, slot, lane, column));
            }
        }
        out.push_back(row_of(column.view, storage.head(), lane, column));
    }
    return out;
}

}  // namespace

TEST_CASE("a ring goes back to the position of a file, with counts and lanes that were given up") {
    const auto before = GENERATE(0, 1, 7, 24);
    const auto since = GENERATE(0, 3);
    CAPTURE(before, since);
    const test::ScratchFolder scratch;
    const auto folder = scratch / "ring";
    test::World world(
        5, *create_on_disk(test::World::columns(2), kSlots, kLanes, {.folder = folder, .spare = 4, .specs = {}}), 2);
    for (int i = 0; i < before; ++i) {
        world.step();
        if (i == 4) {
            world.storage.park(1);
        }
    }
    world.storage.mark();
    REQUIRE(write_ring(world.storage, scratch / "ring.bin"));
    const Ring::Position position = world.storage.ring().position();
    std::vector<std::vector<std::string>> then;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        then.push_back(held(world.storage, lane));
    }
    for (int i = 0; i < since; ++i) {
        world.step();
        world.storage.mark();
    }
    world.storage = *Storage::make(test::World::columns(2), 2, kLanes);

    Result<Storage> back = reopen_on_disk(folder);
    REQUIRE(back);
    const Result<std::uint64_t> gone = restore_ring(*back, scratch / "ring.bin");
    REQUIRE(gone);
    CHECK(*gone == 0);
    CHECK(back->head() == position.head);
    CHECK(back->view().appended == position.appended);
    CHECK(back->ring().position().count == position.count);
    CHECK(back->ring().position().parked == position.parked);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        CAPTURE(lane);
        CHECK(held(*back, lane) == then[lane]);
    }
}

}  // namespace ring_file_test
