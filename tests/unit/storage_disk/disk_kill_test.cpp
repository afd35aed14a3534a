// SPDX-License-Identifier: Apache-2.0
// kill -9 while a buffer on a disk is written leaves every step before its last mark, byte for byte.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <random>
#include <thread>

#include "engines/storage_disk/storage_on_disk.hpp"
#include "experience/replay/storage.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace disk_kill_test {

namespace {

namespace fs = std::filesystem;
using namespace tenon;

constexpr std::uint32_t kLanes = 4;
constexpr std::int64_t kWidth = 1000;
constexpr std::uint64_t kMarkEvery = 7;

std::vector<StorageColumn> columns() {
    return {{.key = "observation",
             .role = Role::kObservation,
             .dtype = DType::kF32,
             .row = {kWidth},
             .view = {},
             .final = {}},
            {.key = "action", .role = Role::kAction, .dtype = DType::kI64, .row = {}, .view = {}, .final = {}}};
}

// Every byte follows from the step and the lane; some steps end an episode.
std::uint64_t word_of(std::uint64_t step, std::uint32_t lane) {
    return (step * kLanes + lane + 1) * 0x9e3779b97f4a7c15ULL;
}

bool ends(std::uint64_t step, std::uint32_t lane) {
    return word_of(step, lane) >> 60U == 0;
}

float value_of(std::uint64_t step, std::uint32_t lane, std::int64_t i) {
    return static_cast<float>((word_of(step, lane) >> 40U) + static_cast<std::uint64_t>(i));
}

void fill(void* row, std::uint64_t step, std::uint32_t lane) {
    auto* const to = static_cast<float*>(row);
    for (std::int64_t i = 0; i < kWidth; ++i) {
        to[i] = value_of(step, lane, i);
    }
}

bool is_filled(const void* row, std::uint64_t step, std::uint32_t lane) {
    const auto* const from = static_cast<const float*>(row);
    for (std::int64_t i = 0; i < kWidth; ++i) {
        if (from[i] != value_of(step, lane, i)) {
            return false;
        }
    }
    return true;
}

// Observations of the step at the head, then of each next one, for ever. `marked` is the number of steps before the
// last mark.
[[noreturn]] void write_for_ever(const fs::path& folder, std::uint32_t slots, std::atomic<std::uint64_t>& marked) {
    Result<Storage> storage =
        fs::exists(folder) ? open_on_disk(folder, true) : create_on_disk(columns(), slots, kLanes, {.folder = folder});
    if (!storage) {
        _exit(3);
    }
    const StorageColumn& seen = *storage->find("observation");
    auto* const action = storage->find("action")->view.as<std::int64_t>();
    auto* const terminated = storage->find("terminated")->view.as<std::uint8_t>();
    const auto observe = [&](std::uint32_t slot, std::uint64_t step) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            fill(row_at(seen.view, slot, lane), step, lane);
        }
    };
    if (storage->view().appended == 0) {
        storage->begin_episodes(nullptr);
        observe(storage->head(), 0);
    }
    for (;;) {
        const std::uint64_t step = storage->view().appended;
        const std::uint32_t slot = storage->head();
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            action[std::size_t{slot} * kLanes + lane] = static_cast<std::int64_t>(word_of(step, lane));
            terminated[std::size_t{slot} * kLanes + lane] = ends(step, lane) ? 1 : 0;
            if (ends(step, lane)) {
                fill(row_at(seen.final, slot, lane), step + 1000, lane);
            }
        }
        observe(storage->slot_after(slot), step + 1);
        storage->advance();
        if (storage->view().appended % kMarkEvery == 0) {
            storage->mark();
            marked.store(storage->view().appended);
        }
    }
}

// The number of wrong transitions.
std::uint64_t count_wrong(const Storage& storage) {
    std::uint64_t wrong = 0;
    const StorageColumn& seen = *storage.find("observation");
    const auto* const action = storage.find("action")->view.as<std::int64_t>();
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        for (std::uint32_t back = storage.view().count[lane]; back > 0; --back) {
            const std::uint64_t step = storage.view().appended - back;
            const std::uint32_t slot = storage.slot_back(back);
            const bool done = ends(step, lane);
            const bool right =
                is_filled(row_at(seen.view, slot, lane), step, lane) &&
                action[std::size_t{slot} * kLanes + lane] == static_cast<std::int64_t>(word_of(step, lane)) &&
                storage.flags().terminated[std::size_t{slot} * kLanes + lane] == (done ? 1 : 0) &&
                (done ? is_filled(row_at(seen.final, slot, lane), step + 1000, lane)
                      : is_filled(row_at(seen.view, storage.slot_after(slot), lane), step + 1, lane));
            wrong += right ? 0 : 1;
        }
    }
    return wrong;
}

// Kills the writer of the same buffer again and again; each one goes on where the one before was cut off.
void kill_writers(std::uint32_t slots, int kills, int longest_ms) {
    const test::ScratchFolder scratch;
    const fs::path folder = scratch.path() / "ring";
    std::mt19937 random(5);  // NOLINT(bugprone-random-generator-seed): the same waits each time
    void* const shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    auto* const marked = new (shared) std::atomic<std::uint64_t>(0);
    std::uint64_t furthest = 0;
    for (int i = 0; i < kills; ++i) {
        const std::uint64_t before = marked->load();
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            write_for_ever(folder, slots, *marked);
        }
        // At least one mark, then any moment.
        while (marked->load() <= before && ::waitpid(child, nullptr, WNOHANG) == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::this_thread::sleep_for(
            std::chrono::microseconds(random() % (static_cast<std::uint32_t>(longest_ms) * 1000)));
        REQUIRE(::kill(child, SIGKILL) == 0);
        int how = 0;
        REQUIRE(::waitpid(child, &how, 0) == child);
        REQUIRE(WIFSIGNALED(how));

        const Result<Storage> reopened = open_on_disk(folder, false);
        REQUIRE(reopened);
        const std::uint64_t last = marked->load();
        CAPTURE(i, last, reopened->view().appended, reopened->view().count[0]);
        // The newest marked step is the head. Steps after the mark, whose number is not known exactly, have overwritten
        // at most as many of the oldest.
        CHECK(reopened->view().appended + 1 >= last);
        const std::uint64_t full = std::min<std::uint64_t>(reopened->view().appended, slots - 1);
        CHECK(reopened->view().count[0] + 2 * kMarkEvery + 2 >= full);
        CHECK(count_wrong(*reopened) == 0);
        furthest = std::max(furthest, reopened->view().appended);
    }
    CHECK(furthest > slots / 8);
    ::munmap(shared, 4096);
}

}  // namespace

TEST_CASE("kill -9 at any moment leaves a buffer whose marked steps are whole") {
    kill_writers(300, 20, 60);  // 10 MB, which wraps around
}

TEST_CASE("kill -9 while a buffer of 1 GB is written, 20 times", "[slow]") {
    kill_writers(32'000, 20, 1500);
}

}  // namespace disk_kill_test
