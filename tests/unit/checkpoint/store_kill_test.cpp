// SPDX-License-Identifier: Apache-2.0
// kill -9 at any moment of writing checkpoints leaves the last one that was finished, or a later one.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/checkpoint/store.hpp"

namespace store_kill_test {

namespace {

namespace fs = std::filesystem;

// Three files whose every byte follows from the frames and the round.
tenon::Status fill(const fs::path& folder, std::int64_t frames) {
    for (const char* name : {"parameters.safetensors", "optimiser.safetensors", "state.bin"}) {
        std::ofstream out(folder / name, std::ios::binary);
        out << std::string(20000, static_cast<char>('a' + frames % 26));
    }
    return {};
}

// Writes checkpoints for ever, two of three times a new one, else the same frames again, and tells each that is
// finished.
[[noreturn]] void write_for_ever(const fs::path& directory, std::int64_t frames, int told) {
    for (;; ++frames) {
        for (int again = 0; again <= static_cast<int>(frames % 2); ++again) {
            const auto written = tenon::write_checkpoint(directory, frames,
                                                         [&](const fs::path& folder) { return fill(folder, frames); });
            if (!written || !tenon::keep_newest(directory, 1) || write(told, &frames, sizeof frames) != sizeof frames) {
                _exit(3);
            }
        }
    }
}

}  // namespace

TEST_CASE("kill -9 at any moment leaves a checkpoint to go on from") {
    const tenon::test::ScratchFolder scratch;
    std::mt19937_64 random(3);  // NOLINT(bugprone-random-generator-seed): the same cases each time
    std::int64_t finished = -1;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
    int kills = 0;
    for (; kills < 100 && std::chrono::steady_clock::now() < end; ++kills) {
        int told[2];
        REQUIRE(pipe(told) == 0);
        const pid_t child = fork();
        if (child == 0) {
            close(told[0]);
            write_for_ever(scratch.path(), finished + 1, told[1]);
        }
        close(told[1]);
        // The first is waited for, so that there is always something to lose.
        if (finished < 0) {
            REQUIRE(read(told[0], &finished, sizeof finished) == sizeof finished);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
        kill(child, SIGKILL);
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status));  // it did not fail by itself
        for (std::int64_t frames = 0; read(told[0], &frames, sizeof frames) == sizeof frames;) {
            finished = frames;
        }
        close(told[0]);

        const auto found = tenon::newest_checkpoint(scratch.path());
        REQUIRE(found.has_value());
        REQUIRE(found->checkpoint);
        CHECK(found->notice.empty());
        CHECK(found->checkpoint->frames >= finished);
        CHECK(found->checkpoint->frames <= finished + 1);
        const std::string expected(20000, static_cast<char>('a' + found->checkpoint->frames % 26));
        CHECK(tenon::test::slurp(found->checkpoint->folder / "state.bin") == expected);
        finished = found->checkpoint->frames;
    }
    CHECK(kills >= 10);
}

}  // namespace store_kill_test
