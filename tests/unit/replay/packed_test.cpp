// SPDX-License-Identifier: Apache-2.0
// A ring whose pictures are compressed, compared with the same ring in plain memory: every transition that is held must
// be gathered with the same bytes.
#include "experience/replay/packed_rows.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "experience/replay/gather.hpp"
#include "support/catch.hpp"
#include "world.hpp"

namespace packed_test {

namespace {

using namespace tenon;

// Stacks of pictures [4, side, side]: each step has one new picture, each episode begins with four equal ones.
class Pictures {
public:
    Pictures(unsigned seed, std::uint32_t slots, std::uint32_t lanes, std::int64_t side, bool compress)
        : storage(*Storage::make(columns(side), slots, lanes, compress)),
          side_(static_cast<std::size_t>(side)),
          random_(seed),
          stacks_(lanes, std::vector<std::uint8_t>(4 * side_ * side_)) {
        storage.begin_episodes(nullptr);
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            fill(lane);
            put(storage.find("observation")->view, storage.head(), lane);
        }
    }

    void step() {
        const std::uint32_t slot = storage.head();
        const std::uint32_t next = storage.slot_after(slot);
        const StorageColumn& observation = *storage.find("observation");
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            const bool ends = random_() % 9 == 0;
            *static_cast<std::uint8_t*>(row_at(storage.find("terminated")->view, slot, lane)) = ends ? 1 : 0;
            *static_cast<std::int64_t*>(row_at(storage.find("action")->view, slot, lane)) = ++actions_;
            move(lane);
            put(ends ? observation.final : observation.view, ends ? slot : next, lane);
            if (ends) {
                fill(lane);
                put(observation.view, next, lane);
            }
        }
        storage.advance();
    }

    static std::vector<StorageColumn> columns(std::int64_t side) {
        return {{.key = "observation",
                 .role = Role::kObservation,
                 .dtype = DType::kU8,
                 .row = {4, side, side},
                 .view = {},
                 .final = {}},
                {.key = "action", .role = Role::kAction, .dtype = DType::kI64, .row = {}, .view = {}, .final = {}}};
    }

    Storage storage;

private:
    // A square on a background that stays.
    void draw(std::uint8_t* picture) {
        for (std::size_t i = 0; i < side_ * side_; ++i) {
            picture[i] = static_cast<std::uint8_t>(i / side_ * 3);
        }
        const std::size_t at = random_() % (side_ * side_ - 3);
        std::memset(picture + at, static_cast<int>(random_() % 256), 3);
    }
    void fill(std::uint32_t lane) {
        std::uint8_t* const stack = stacks_[lane].data();
        draw(stack);
        for (std::size_t i = 1; i < 4; ++i) {
            std::memcpy(stack + i * side_ * side_, stack, side_ * side_);
        }
    }
    void move(std::uint32_t lane) {
        std::uint8_t* const stack = stacks_[lane].data();
        std::memmove(stack, stack + side_ * side_, 3 * side_ * side_);
        draw(stack + 3 * side_ * side_);
    }
    void put(const View& view, std::uint32_t slot, std::uint32_t lane) {
        std::memcpy(row_at(view, slot, lane), stacks_[lane].data(), stacks_[lane].size());
    }

    std::size_t side_;
    test::Dice random_;
    std::vector<std::vector<std::uint8_t>> stacks_;
    std::int64_t actions_ = 0;
};

const SamplerPlan kAll{.sampler = "replay/test", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
const SamplerPlan kTwo{
    .sampler = "replay/test", .array_count = 2, .lines = {{0, "*", "*"}, {0, "observation", "both", 2}}, .columns = {}};
const std::vector<std::string> kKeys = {"observation", "action", "next.observation", "next.done"};

// All rows that are held, the newest of a lane first, as the plan gathers them.
class Gathered {
public:
    Gathered(const Storage& storage, const SamplerPlan& sampler, std::vector<std::string> keys)
        : storage_(storage), arrays_(sampler.array_count), plan_(*GatherPlan::make(storage, sampler, keys, "test")) {}

    std::vector<std::vector<std::uint8_t>> rows() {
        std::vector<std::uint32_t> slots;
        std::vector<std::uint32_t> lanes;
        const tn_buffer_view& view = storage_.view();
        for (std::uint32_t back = storage_.slots(); back-- > 0;) {
            for (std::uint32_t lane = 0; lane < storage_.lanes(); ++lane) {
                if (back < view.count[lane]) {
                    slots.push_back((view.first[lane] + back) % storage_.slots());
                    lanes.push_back(lane);
                }
            }
        }
        const std::vector<std::uint32_t> reversed(slots.rbegin(), slots.rend());
        const std::vector<std::uint32_t> lanes_reversed(lanes.rbegin(), lanes.rend());
        const std::vector<const std::uint32_t*> slot_arrays = {slots.data(), reversed.data()};
        const std::vector<const std::uint32_t*> lane_arrays = {lanes.data(), lanes_reversed.data()};
        std::vector<std::vector<std::uint8_t>> out;
        std::vector<void*> to;
        for (const Port& port : plan_.ports()) {
            out.emplace_back(row_bytes(port) * slots.size());
            to.push_back(out.back().data());
        }
        const std::size_t half = slots.size() / 2;
        const SampledRows sampled{.slots = slot_arrays.data(), .lanes = lane_arrays.data(), .columns = nullptr};
        plan_.gather(sampled, 0, half, to.data());
        plan_.gather(sampled, half, slots.size() - half, to.data());
        REQUIRE(plan_.is_intact());
        return out;
    }

private:
    const Storage& storage_;
    std::uint32_t arrays_;
    GatherPlan plan_;
};

TEST_CASE("every transition of a compressed ring has the bytes of a plain one") {
    const auto seed = GENERATE(range(1U, 9U));
    CAPTURE(seed);
    test::Dice random{seed};
    const std::uint32_t slots = 240 + random() % 60;
    const std::uint32_t lanes = 1 + random() % 3;
    Pictures plain(seed, slots, lanes, 9, false);
    Pictures packed(seed, slots, lanes, 9, true);
    REQUIRE(packed.storage.packed() != nullptr);
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
    CHECK(packed.storage.packed()->bytes() > 0);
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
    const PackedRows& rows = *packed.storage.packed();
    std::size_t plain = 0;
    for (const PackedRows::Block& block : rows.columns()[0].blocks) {
        CHECK(block.picture == kRow / 4);
        plain += block.plain;
    }
    CHECK(plain < kSlots * kRow / 4 * 2);  // an episode begins with a whole stack, and ends with a picture more
    CHECK(rows.bytes() < plain / 4);
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
    PackedRows::Block& block = packed.storage.packed()->columns()[0].blocks[0];
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
    const Result<Storage> made = Storage::make(Pictures::columns(9), 10, 1, true);
    ::unsetenv("TENON_ZSTD");
    REQUIRE_FALSE(made);
    CHECK(made.error().sentence ==
          "a compressed buffer needs libzstd: TENON_ZSTD names /nowhere/libzstd.so, which cannot be loaded");
    CHECK(made.error().help == "install it (Debian: libzstd1), name the file in TENON_ZSTD, or use another storage");
}

}  // namespace

}  // namespace packed_test
