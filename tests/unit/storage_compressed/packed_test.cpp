// SPDX-License-Identifier: Apache-2.0
// A ring whose pictures are compressed, compared with the same ring in plain memory: every transition that is held must
// be gathered with the same bytes.
#include "engines/storage_compressed/packed_rows.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "experience/replay/gather.hpp"
#include "pictures.hpp"
#include "support/catch.hpp"

namespace packed_test {

namespace {

using namespace tenon;

using test::Gathered;
using test::Pictures;

const SamplerPlan& kAll = test::kAllRows;
const SamplerPlan kTwo{
    .sampler = "replay/test", .array_count = 2, .lines = {{0, "*", "*"}, {0, "observation", "both", 2}}, .columns = {}};
const std::vector<std::string>& kKeys = test::kKeysOfPictures;

TEST_CASE("every transition of a compressed ring has the bytes of a plain one") {
    const auto seed = GENERATE(range(1U, 9U));
    CAPTURE(seed);
    test::Dice random{seed};
    const std::uint32_t slots = 240 + random() % 60;
    const std::uint32_t lanes = 1 + random() % 3;
    Pictures plain(seed, slots, lanes, 9, false);
    Pictures packed(seed, slots, lanes, 9, true);
    REQUIRE(packed_rows(packed.storage) != nullptr);
    Gathered of_plain(plain.storage, kAll, kKeys);
    Gathered of_packed(packed.storage, kAll, kKeys);
    auto keys = kKeys;
    keys.emplace_back("both");
    Gathered two_of_plain(plain.storage, kTwo, keys);
    Gathered two_of_packed(packed.storage, kTwo, keys);
    for (int round = 0; round < 30; ++round) {
        for (std::uint32_t step = 1 + random() % 40; step > 0; --step) {
            plain.step();
            packed.step();
        }
        if (random() % 5 == 0) {
            plain.storage.begin_episodes(nullptr);
            packed.storage.begin_episodes(nullptr);
        }
        REQUIRE(of_plain.rows() == of_packed.rows());
        packed.storage.mark();
        REQUIRE(of_plain.rows() == of_packed.rows());
        REQUIRE(two_of_plain.rows() == two_of_packed.rows());
    }
    CHECK(packed_rows(packed.storage)->packed_bytes() > 0);
}

TEST_CASE("rows before the steps that another thread makes have the bytes of a plain ring") {
    Pictures plain(4, 260, 2, 9, false);
    Pictures packed(4, 260, 2, 9, true);
    Gathered of_plain(plain.storage, kAll, kKeys);
    Gathered of_packed(packed.storage, kAll, kKeys);
    for (int round = 0; round < 30; ++round) {
        plain.storage.ring().show_before(0, 25);
        packed.storage.ring().show_before(0, 25);
        const auto before = of_plain.rows();
        for (int step = 0; step < 25; ++step) {
            plain.step();
            packed.step();
            REQUIRE(of_packed.rows() == before);
        }
        plain.storage.ring().show_all();
        packed.storage.ring().show_all();
        packed.storage.mark();
        REQUIRE(of_plain.rows() == of_packed.rows());
    }
}

std::size_t resident(const View& view, std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages((bytes + page - 1) / page);
    REQUIRE(::mincore(view.data, bytes, pages.data()) == 0);
    std::size_t out = 0;
    for (const unsigned char is_mapped : pages) {
        out += is_mapped & 1U;
    }
    return out * page;
}

TEST_CASE("a stack takes the memory of one picture, and plain rows are given back") {
    constexpr std::uint32_t kSlots = 801;
    constexpr std::size_t kRow = std::size_t{4} * 42 * 42;
    Pictures packed(2, kSlots, 1, 42, true);
    for (int step = 0; step < 2500; ++step) {
        packed.step();
        packed.storage.mark();
    }
    const PackedRows& rows = *packed_rows(packed.storage);
    std::size_t plain = 0;
    for (const PackedRows::Block& block : rows.columns()[0].blocks) {
        CHECK(block.picture == kRow / 4);
        plain += block.plain;
    }
    CHECK(plain < kSlots * kRow / 4 * 2);  // an episode begins with a whole stack, and ends with a picture more
    CHECK(rows.packed_bytes() < plain / 4);
    const StorageColumn& column = *packed.storage.find("observation");
    CHECK(resident(column.view, kRow * kSlots) < (PackedRows::kBlock + 44) * kRow);
    CHECK(resident(column.final, kRow * kSlots) < (PackedRows::kBlock + 44) * kRow);
}

TEST_CASE("a damaged block is told") {
    Pictures packed(2, 200, 1, 9, true);
    for (int step = 0; step < 130; ++step) {
        packed.step();
    }
    packed.storage.mark();
    PackedRows::Block& block = packed_rows(packed.storage)->columns()[0].blocks[0];
    std::memset(block.bytes.get(), 7, block.size);
    GatherPlan plan = *GatherPlan::make(packed.storage, kAll, kKeys, "test");
    const std::uint32_t slot = 3;
    const std::uint32_t lane = 0;
    const std::uint32_t* const slots = &slot;
    const std::uint32_t* const lanes = &lane;
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<void*> to;
    for (const Port& port : plan.ports()) {
        memory.emplace_back(row_bytes(port));
        to.push_back(memory.back().data());
    }
    plan.gather({.slots = &slots, .lanes = &lanes, .columns = nullptr}, 0, 1, to.data());
    CHECK_FALSE(plan.is_intact());
}

TEST_CASE("a libzstd that is not there is told") {
    ::setenv("TENON_ZSTD", "/nowhere/libzstd.so", 1);
    const Result<Storage> made = make_packed(Pictures::columns(9), 10, 1);
    ::unsetenv("TENON_ZSTD");
    REQUIRE_FALSE(made);
    CHECK(made.error().sentence ==
          "a compressed buffer needs libzstd: TENON_ZSTD names /nowhere/libzstd.so, which cannot be loaded");
    CHECK(made.error().help == "install it (Debian: libzstd1), name the file in TENON_ZSTD, or use another storage");
}

}  // namespace

}  // namespace packed_test
