// SPDX-License-Identifier: Apache-2.0
// A storage on a disk is one in memory that can be opened again: as far as it is whole.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/file/atomic.hpp"
#include "engines/storage_disk/disk_layout.hpp"
#include "engines/storage_disk/disk_ring.hpp"
#include "engines/storage_disk/storage_on_disk.hpp"
#include "experience/replay/storage.hpp"
#include "support/catch.hpp"
#include "support/counted_allocations.hpp"
#include "support/scratch_folder.hpp"
#include "unit/replay/world.hpp"

namespace disk_test {

namespace {

namespace fs = std::filesystem;
using namespace tenon;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

constexpr std::int64_t kWidth = 3;

Storage made(const fs::path& folder, std::uint32_t slots, std::uint32_t lanes, std::uint32_t spare = 0) {
    Result<Storage> out = create_on_disk(test::World::columns(kWidth), slots, lanes,
                                         {.folder = folder, .spare = spare, .specs = {{"spec.action", "any"}}});
    REQUIRE(out);
    return std::move(*out);
}

std::string refused(const Result<Storage>& storage) {
    REQUIRE_FALSE(storage);
    return storage.error().sentence;
}

// What the storage holds of one lane, the oldest transition first.
std::vector<test::Transition> held(const Storage& storage, std::uint32_t lane) {
    std::vector<test::Transition> out;
    const StorageColumn& seen = *storage.find("observation");
    const auto observation = [&](const View& view, std::uint32_t slot) {
        std::vector<float> row(kWidth);
        std::memcpy(row.data(), row_at(view, slot, lane), row.size() * sizeof(float));
        return row;
    };
    const auto value = [&]<class T>(const char* key, std::uint32_t slot, T& to) {
        std::memcpy(&to, row_at(storage.find(key)->view, slot, lane), sizeof to);
    };
    for (std::uint32_t i = 0; i < storage.view().count[lane]; ++i) {
        test::Transition each;
        each.slot = (storage.view().first[lane] + i) % storage.slots();
        each.observation = observation(seen.view, each.slot);
        value("action", each.slot, each.action);
        value("reward", each.slot, each.reward);
        value("terminated", each.slot, each.terminated);
        value("truncated", each.slot, each.truncated);
        value("is_init", each.slot, each.is_init);
        const bool done = (each.terminated | each.truncated) != 0;
        each.next_observation =
            done ? observation(seen.final, each.slot) : observation(seen.view, storage.slot_after(each.slot));
        out.push_back(std::move(each));
    }
    return out;
}

bool same(const test::Transition& a, const test::Transition& b) {
    return a.slot == b.slot && a.observation == b.observation && a.next_observation == b.next_observation &&
           a.action == b.action && a.reward == b.reward && a.terminated == b.terminated && a.truncated == b.truncated &&
           a.is_init == b.is_init;
}

// The steps [first, end) of the record of every lane are what the storage holds.
void check_holds(const Storage& storage, const test::World& world, std::size_t first, std::size_t end) {
    for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
        const std::vector<test::Transition> on_disk = held(storage, lane);
        REQUIRE(on_disk.size() == end - first);
        for (std::size_t i = 0; i < on_disk.size(); ++i) {
            CAPTURE(lane, i, first);
            REQUIRE(same(on_disk[i], world.record[lane][first + i]));
        }
    }
}

// Changes one byte of a file.
void damage(const fs::path& file, std::uint64_t at) {
    std::fstream io(file, std::ios::in | std::ios::out | std::ios::binary);
    io.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(io.get());
    io.seekp(static_cast<std::streamoff>(at));
    io.put(static_cast<char>(byte ^ 0x10));
    REQUIRE(io.good());
}

}  // namespace

TEST_CASE("a storage on a disk holds what one in memory holds") {
    const test::ScratchFolder scratch;
    const auto steps = GENERATE(0, 3, 8, 9, 30);
    test::World memory(7, 9, 3, kWidth);
    test::World disk(7, made(scratch.path() / "ring", 9, 3, 2), kWidth);
    for (int i = 0; i < steps; ++i) {
        memory.step();
        disk.step();
    }
    REQUIRE(disk_marks(disk.storage) != nullptr);
    REQUIRE(disk_marks(memory.storage) == nullptr);
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        const std::vector<test::Transition> a = held(memory.storage, lane);
        const std::vector<test::Transition> b = held(disk.storage, lane);
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            REQUIRE(same(a[i], b[i]));
        }
    }
}

TEST_CASE("an opened storage has every step before its last mark") {
    const test::ScratchFolder scratch;
    const auto steps = GENERATE(2U, 5U, 8U, 9U, 20U, 41U);
    const fs::path folder = scratch.path() / "ring";
    std::optional<test::World> world(std::in_place, 3, made(folder, 9, 2), kWidth);
    for (unsigned i = 0; i < steps; ++i) {
        world->step();
    }
    world->storage.mark();
    world->step();  // not marked
    Storage written = std::move(world->storage);
    world->storage = *Storage::make(test::World::columns(kWidth), 2, 2);
    written = *Storage::make(test::World::columns(kWidth), 2, 2);  // closes the folder

    // The newest marked step is the head. The unmarked step has overwritten the oldest one, if the ring was full.
    const std::size_t overwritten = steps + 1 >= 9 ? steps + 2 - 9 : 0;
    const Result<Storage> read = open_on_disk(folder, false);
    REQUIRE(read);
    CHECK(read->view().appended == steps - 1);
    check_holds(*read, *world, overwritten, steps - 1);
    CHECK(disk_marks(*read)->files().layout().specs.at("spec.action") == "any");
}

TEST_CASE("a storage that is opened to be written goes on, and can be opened again") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    test::World world(5, made(folder, 6, 2), kWidth);
    for (int i = 0; i < 10; ++i) {
        world.step();
    }
    world.storage.mark();
    world.storage = *Storage::make(test::World::columns(kWidth), 2, 2);
    Result<Storage> again = open_on_disk(folder, true);
    REQUIRE(again);
    CHECK(again->view().appended == 9);
    again->begin_episodes(nullptr);
    for (int i = 0; i < 3; ++i) {
        again->advance();
    }
    again->mark();
    *again = *Storage::make(test::World::columns(kWidth), 2, 2);
    const Result<Storage> read = open_on_disk(folder, false);
    REQUIRE(read);
    CHECK(read->view().appended == 11);
    CHECK(read->view().count[0] == 5);
    CHECK(read->flags().truncated[std::size_t{8 % 6} * 2] + read->flags().terminated[std::size_t{8 % 6} * 2] > 0);
}

TEST_CASE("damage is found and cut off, and the longest whole part stays") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    test::World world(11, made(folder, 40, 2), kWidth);
    for (int i = 0; i < 30; ++i) {
        world.step();
    }
    world.storage.mark();
    world.storage = *Storage::make(test::World::columns(kWidth), 2, 2);
    const std::size_t row = 2 * kWidth * sizeof(float);
    const auto holds = [&](std::size_t first, std::size_t end) {
        const Result<Storage> read = open_on_disk(folder, false);
        REQUIRE(read);
        check_holds(*read, world, first, end);
    };
    holds(0, 29);
    SECTION("a byte of an observation near the end") {
        damage(folder / "columns" / "observation", 25 * row + 5);
        holds(0, 24);
    }
    SECTION("a byte near the beginning") {
        damage(folder / "columns" / "action", 4 * 2 * 8 + 1);
        holds(5, 29);
    }
    SECTION("a flag") {
        damage(folder / "columns" / "terminated", 20 * 2);
        holds(0, 19);
    }
    SECTION("a mark") {
        damage(folder / "marks", fs::file_size(folder / "marks") - sizeof(std::uint64_t) - (40 - 28) * 16 + 8);
        holds(0, 27);
    }
    SECTION("a file that ends too early") {
        fs::resize_file(folder / "columns" / "observation", 22 * row + 3);
        holds(0, 21);
        CHECK(fs::file_size(folder / "columns" / "observation") == 40 * row);
    }
    SECTION("everything") {
        for (const char* name : {"columns/action", "columns/observation"}) {
            fs::resize_file(folder / name, 0);
        }
        const Result<Storage> read = open_on_disk(folder, false);
        REQUIRE(read);
        CHECK(read->view().total == 0);
    }
    SECTION("the tables of lanes") {
        damage(folder / "marks", 0);  // not the newer one
        holds(0, 29);
        damage(folder / "marks", 64);
        CHECK_THAT(refused(open_on_disk(folder, false)),
                   ContainsSubstring("marks is damaged: it does not say where its lanes begin"));
    }
}

TEST_CASE("a storage goes back to a position of the past while its steps are kept") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    const auto before = GENERATE(1, 5, 9, 23);
    const auto since = GENERATE(0, 1, 4, 7, 25);
    const auto spare = GENERATE(4, 10);
    CAPTURE(before, since, spare);
    constexpr int kSlots = 10;
    test::World world(17, made(folder, kSlots, 2, static_cast<std::uint32_t>(spare)), kWidth);
    for (int i = 0; i < before; ++i) {
        world.step();
    }
    world.storage.mark();
    const Past past = past_of(world.storage);
    const std::vector<std::vector<test::Transition>> then = {held(world.storage, 0), held(world.storage, 1)};
    // A checkpoint has the rows of the newest two slots.
    const auto each_row = [](Storage& storage, auto f) {
        for (const StorageColumn& column : storage.columns()) {
            const std::size_t bytes = row_bytes(column) * storage.lanes();
            const std::uint32_t last = storage.slot_before(storage.head());
            f(static_cast<std::byte*>(row_at(column.view, last, 0)), bytes);
            f(static_cast<std::byte*>(row_at(column.view, storage.head(), 0)), bytes);
            if (column.final.data != nullptr) {
                f(static_cast<std::byte*>(row_at(column.final, last, 0)), bytes);
            }
        }
    };
    std::vector<std::vector<std::byte>> saved;
    each_row(world.storage, [&](std::byte* at, std::size_t bytes) { saved.emplace_back(at, at + bytes); });
    for (int i = 0; i < since; ++i) {
        world.step();
        world.storage.mark();
    }
    world.storage = *Storage::make(test::World::columns(kWidth), 2, 2);

    Result<Storage> back = reopen_on_disk(folder);
    REQUIRE(back);
    CHECK(back->view().total == 0);
    back->begin_episodes(nullptr);  // as a new trainer does
    const Result<std::uint64_t> gone = go_back(*back, past);
    REQUIRE(gone);
    std::size_t next = 0;
    each_row(*back, [&](std::byte* at, std::size_t bytes) { std::memcpy(at, saved[next++].data(), bytes); });
    back->mark();
    // Steps after the checkpoint overwrite the oldest ones. Each is kept one step before, as long as there is room.
    const int oldest = std::max(0, before + 1 - kSlots);
    const int overwritten = std::max(0, before + since - kSlots + 1 - oldest);
    const int kept = std::min(overwritten + 1, before - oldest);
    CHECK(*gone == static_cast<std::uint64_t>(std::max(0, kept - spare)));
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        const std::vector<test::Transition> on_disk = held(*back, lane);
        REQUIRE(on_disk.size() == then[lane].size() - *gone);
        for (std::size_t i = 0; i < on_disk.size(); ++i) {
            CAPTURE(lane, i);
            REQUIRE(same(on_disk[i], then[lane][i + *gone]));
        }
    }
    // As the ring had not wrapped around, later slots are zeros, whatever was written to them since.
    for (auto slot = static_cast<std::uint32_t>(before) + 1; slot < kSlots; ++slot) {
        std::vector<float> rows(2 * kWidth);
        std::memcpy(rows.data(), row_at(back->find("observation")->view, slot, 0), rows.size() * sizeof(float));
        CAPTURE(slot);
        CHECK(rows == std::vector<float>(2 * kWidth));
    }
}

TEST_CASE("damage is an error where no killed run can have overwritten a step") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    constexpr int kSlots = 20;
    constexpr int kSpare = 4;
    const std::size_t row = 2 * kWidth * sizeof(float);
    const auto observation = [&](std::uint64_t row_number) {
        damage(folder / "columns" / "observation", row_number * row + 5);
    };
    const auto run = [&](int before, int since) {
        test::World world(19, made(folder, kSlots, 2, kSpare), kWidth);
        for (int i = 0; i < before; ++i) {
            world.step();
        }
        world.storage.mark();
        const Past past = past_of(world.storage);
        for (int i = 0; i < since; ++i) {
            world.step();
        }
        world.storage = *Storage::make(test::World::columns(kWidth), 2, 2);
        return past;
    };
    const auto reopened_at = [&](const Past& past) {
        Result<Storage> back = reopen_on_disk(folder);
        REQUIRE(back);
        back->begin_episodes(nullptr);
        return go_back(*back, past);
    };
    const auto refused_because = [&](const Past& past, const std::string& why) {
        const Result<std::uint64_t> gone = reopened_at(past);
        REQUIRE_FALSE(gone);
        CHECK(gone.error().sentence == "the buffer in " + folder.string() + " is damaged: " + why);
        CHECK(gone.error().fault == Fault::kEnvironment);
    };
    SECTION("a ring that is not full") {
        const Past past = run(12, 0);
        observation(0);
        refused_because(past, "step 0 in slot 0 of columns/observation is not as the run wrote it");
        observation(7);
        refused_because(past, "step 0 in slot 0 of columns/observation and 1 later step are not as the run wrote them");
        observation(0);
        observation(7);
        CHECK(*reopened_at(past) == 0);  // nothing was changed before
    }
    SECTION("a file that ends too early") {
        const Past past = run(12, 0);
        fs::resize_file(folder / "columns" / "action", 9 * 2 * 8);
        refused_because(past, "step 9 in slot 9 of columns/action and 1 later step are not as the run wrote them");
    }
    SECTION("in a folder of an earlier version, which has no sums") {
        const Past past = run(12, 0);
        fs::remove(folder / "sums");
        CHECK(*reopened_at(past) == 0);
        observation(7);
        refused_because(past, "step 7 in slot 7 is not as the run wrote it");
    }
    SECTION("the marks, which also say how far the run had gone on") {
        const Past past = run(12, 0);
        const auto bytes = fs::file_size(folder / "marks") - 128;
        fs::resize_file(folder / "marks", 128);
        fs::resize_file(folder / "marks", 128 + bytes);
        refused_because(past, "step 0 in slot 0 and 10 later steps are not as the run wrote them");
    }
    SECTION("a full ring whose run ended with its checkpoint") {
        const Past past = run(33, 0);
        observation(15);  // the oldest step, 14, may be overwritten next, and there is a copy of it
        refused_because(past, "step 15 in slot 15 of columns/observation is not as the run wrote it");
    }
    SECTION("a full ring whose run went on, behind the steps that it may have overwritten") {
        const Past past = run(33, 2);
        observation(18);
        refused_because(past, "step 18 in slot 18 of columns/observation is not as the run wrote it");
        observation(18);
        // A copy that a power cut has lost: its step was overwritten.
        observation(kSlots + 14 % kSpare);
        CHECK(*reopened_at(past) == 1);
    }
    SECTION("nothing is kept, and the run was killed before it marked the steps that it had begun") {
        test::World world(19, made(folder, kSlots, 2), kWidth);
        for (int i = 0; i < 33; ++i) {
            world.step();
        }
        world.storage.mark();
        const Past past = past_of(world.storage);
        world.step();
        world.step();
        world.step();
        world.storage = *Storage::make(test::World::columns(kWidth), 2, 2);
        CHECK(*reopened_at(past) == 3);
    }
}

TEST_CASE("other frames than those of the checkpoint are refused") {
    const test::ScratchFolder scratch;
    test::World one(1, made(scratch.path() / "one", 10, 2), kWidth);
    test::World other(2, made(scratch.path() / "other", 10, 2), kWidth);
    for (int i = 0; i < 6; ++i) {
        one.step();
        other.step();
    }
    one.storage.mark();
    other.storage.mark();
    const Result<std::uint64_t> gone = go_back(other.storage, past_of(one.storage));
    REQUIRE_FALSE(gone);
    CHECK_THAT(gone.error().sentence, ContainsSubstring("holds other frames than when the checkpoint was written"));
    CHECK(other.storage.view().count[0] == 6);
}

TEST_CASE("one process writes, or several read") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    std::optional<Storage> writer = made(folder, 6, 1);
    writer->begin_episodes(nullptr);
    for (int i = 0; i < 3; ++i) {
        writer->advance();
    }
    writer->mark();
    const std::string in_use =
        "the buffer in " + folder.string() + " is in use by another process (process " + std::to_string(getpid()) + ")";
    CHECK(refused(open_on_disk(folder, true)) == in_use);
    CHECK(refused(open_on_disk(folder, false)) == in_use);
    CHECK(refused(create_on_disk(test::World::columns(kWidth), 6, 1, {.folder = folder})) == in_use);
    writer.reset();
    const Result<Storage> a = open_on_disk(folder, false);
    const Result<Storage> b = open_on_disk(folder, false);
    REQUIRE(a);
    REQUIRE(b);
    CHECK_THAT(refused(open_on_disk(folder, true)), ContainsSubstring("is in use by another process"));
}

TEST_CASE("what a reader writes stays in its memory") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    test::World world(4, made(folder, 12, 1), kWidth);
    for (int i = 0; i < 8; ++i) {
        world.step();
    }
    world.storage.mark();
    world.storage = *Storage::make(test::World::columns(kWidth), 2, 1);
    {
        Result<Storage> reader = open_on_disk(folder, false);
        REQUIRE(reader);
        *static_cast<float*>(row_at(reader->find("reward")->view, 2, 0)) = -5;
    }
    const Result<Storage> again = open_on_disk(folder, false);
    REQUIRE(again);
    check_holds(*again, world, 0, 7);
}

TEST_CASE("a folder that holds something else is left alone") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    const auto create = [&] { return create_on_disk(test::World::columns(kWidth), 6, 1, {.folder = folder}); };
    SECTION("another's files") {
        fs::create_directories(folder);
        std::ofstream(folder / "thesis.tex") << "all of it";
        CHECK(refused(create()) == folder.string() + " is not the folder of a buffer: it holds thesis.tex");
        CHECK(fs::exists(folder / "thesis.tex"));
    }
    SECTION("another run's frames") {
        {
            Storage first = made(folder, 6, 1);
            first.begin_episodes(nullptr);
            first.advance();
            first.mark();
        }
        CHECK(refused(create()) == folder.string() + " already holds the frames of another run");
    }
    SECTION("a buffer without steps is replaced, even by one with another layout") {
        {
            const Storage first = made(folder, 60, 4);
        }
        CHECK(create());
    }
    SECTION("frames that nobody wants any more are replaced by zeros") {
        {
            test::World world(3, made(folder, 6, 1), kWidth);
            world.step();
            world.storage.mark();
        }
        const Result<Storage> again =
            create_on_disk(test::World::columns(kWidth), 6, 1, {.folder = folder, .replace = true});
        REQUIRE(again);
        CHECK(*static_cast<const float*>(row_at(again->find("observation")->view, 0, 0)) == 0);
    }
    SECTION("nothing, where something should be opened") {
        CHECK(refused(open_on_disk(folder, false)) == "there is no buffer in " + folder.string());
    }
}

TEST_CASE("a layout that this Tenon does not read") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    {
        const Storage first = made(folder, 6, 1);
    }
    const fs::path file = folder / "layout.json";
    const auto says = [&](const std::string& text) {
        REQUIRE(write_file(file, text));
        return refused(open_on_disk(folder, false));
    };
    CHECK(says(R"({"format": "tenon buffer/9", "slots": 6})") ==
          file.string() + " is of the version \"tenon buffer/9\", but this Tenon reads \"tenon buffer/1\"");
    CHECK(says(R"({"format": "something"})") ==
          file.string() + " does not describe a buffer: it has no \"format\" that begins with \"tenon buffer/\"");
    CHECK(says(R"({"format": "tenon buffer/1", "slots": 1, "lanes": 1, "spare": 0, "columns": []})") ==
          file.string() + " does not describe a buffer: it must have \"slots\", \"lanes\", \"spare\" and \"columns\"");
    CHECK(says(R"({"format": "tenon buffer/1", "slots": 6, "lanes": 1, "spare": 0, "columns": [{"key": "a"}]})") ==
          file.string() + " does not describe a buffer: column 0 must have \"key\", \"role\", \"dtype\" and \"shape\"");
    CHECK(says(R"({"format": "tenon buffer/1", "slots": 6, "lanes": 1, "spare": 0, "columns": []})") ==
          file.string() + " does not describe a buffer: it has no column 'terminated'");
    CHECK_THAT(says("{"), StartsWith(file.string()));
}

TEST_CASE("a disk without room is known before the first frame") {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "new" / "ring";
    SECTION("by the room that is left") {
        const Result<Storage> storage =
            create_on_disk(test::World::columns(1 << 20), 4'000'000'000, 1, {.folder = folder});
        CHECK_THAT(refused(storage), StartsWith("the buffer in " + folder.string() + " needs ") &&
                                         ContainsSubstring(", but its disk has only "));
        CHECK(storage.error().fault == Fault::kEnvironment);
    }
    SECTION("by the system") {
        struct rlimit before{};
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
        const struct rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
        auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
        const Result<Storage> storage = create_on_disk(test::World::columns(kWidth), 10'000, 1, {.folder = folder});
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        CHECK_THAT(refused(storage), StartsWith("cannot reserve ") && ContainsSubstring(folder.string()));
        CHECK(storage.error().help == "lower the buffer's capacity, or give it a path on a larger disk");
    }
    CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("writing to a disk allocates nothing") {
    const test::ScratchFolder scratch;
    Storage storage = made(scratch.path() / "ring", 50, 4, 10);
    storage.begin_episodes(nullptr);
    const std::uint64_t before = test::all_allocations();
    for (int i = 0; i < 200; ++i) {
        storage.advance();
        if (i % 7 == 0) {
            storage.mark();
        }
    }
    CHECK(test::all_allocations() == before);
}

}  // namespace disk_test
