// SPDX-License-Identifier: Apache-2.0
// Whether a run is running, ended, stopped or died.
#include "shared/history/run_state.hpp"

#include <optional>
#include <string>

#include "folder/records/folder.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace run_state_test {

namespace {

namespace fs = std::filesystem;
using tenon::RunFolder;
using tenon::RunState;
using tenon::test::ScratchFolder;
using tenon::test::spill;

class MadeRun {
public:
    explicit MadeRun(const std::string& manifest) {
        auto made = RunFolder::create(scratch_ / "run", "unused", "", manifest, "");
        REQUIRE(made.has_value());
        open_.emplace(std::move(*made));
    }
    [[nodiscard]] fs::path path() const { return scratch_ / "run"; }
    void record(const std::string& lines) const { spill(path() / "metrics.jsonl", lines); }
    void stop() {
        open_->mark_released();
        open_.reset();
    }
    void die() { open_.reset(); }
    [[nodiscard]] RunState state() const {
        const auto info = tenon::read_run_info(path());
        REQUIRE(info.has_value());
        tenon::HistoryReader history(path());
        CHECK(history.read_more().has_value());
        const RunState state = state_of(*info);
        CHECK(state_of(*info, history) == state);
        return state;
    }

private:
    ScratchFolder scratch_;
    std::optional<RunFolder> open_;
};

}  // namespace

TEST_CASE("a run whose lock is held is running, whoever looks") {
    MadeRun run("[run]\ntotal_frames = 100\n");
    run.record("{\"frames\":100}\n");
    CHECK(run.state() == RunState::kRunning);
    CHECK(run.state() == RunState::kRunning);
    run.die();
    CHECK(run.state() == RunState::kEnded);  // at its full length nothing is left to do
    CHECK(RunFolder::reopen(run.path()).has_value());
}

TEST_CASE("a run short of its length was stopped, or died") {
    MadeRun stopped("[run]\ntotal_frames = 100\n");
    stopped.record("{\"frames\":50}\n");
    stopped.stop();
    CHECK(stopped.state() == RunState::kStopped);
    MadeRun died("[run]\ntotal_frames = 100\n");
    died.record("{\"frames\":50}\n{\"fra");
    died.die();
    CHECK(died.state() == RunState::kDied);
    fs::create_directory_symlink("100", died.path() / "checkpoints/last");
    CHECK(died.state() == RunState::kEnded);
}

TEST_CASE("a run may end early, as its manifest says") {
    MadeRun by_return("[run]\ntotal_frames = 100\nstop_at_return = 10.0\n");
    by_return.record("{\"frames\":50,\"rollout/ep_rew_mean\":3,\"eval/mean_reward\":10}\n");
    by_return.stop();
    CHECK(by_return.state() == RunState::kEnded);
    by_return.record("{\"frames\":50,\"rollout/ep_rew_mean\":12,\"eval/mean_reward\":9}\n");
    CHECK(by_return.state() == RunState::kStopped);
    by_return.record("{\"frames\":50,\"rollout/ep_rew_mean\":12}\n");
    CHECK(by_return.state() == RunState::kEnded);
    MadeRun by_episodes("[run]\ntotal_frames = 100\nstop_at_episodes = 7\n");
    by_episodes.stop();
    by_episodes.record("{\"frames\":50,\"rollout/episodes\":6}\n");
    CHECK(by_episodes.state() == RunState::kStopped);
    by_episodes.record("{\"frames\":60,\"rollout/episodes\":8}\n");
    CHECK(by_episodes.state() == RunState::kEnded);
    MadeRun by_patience("[run]\ntotal_frames = 100\n[eval]\npatience = 2\n");
    by_patience.stop();
    const auto line = [](const char* score) {
        return "{\"frames\":1,\"eval/mean_reward\":" + std::string(score) + "}\n";
    };
    by_patience.record(line("5") + line("null") + line("5"));
    CHECK(by_patience.state() == RunState::kStopped);
    by_patience.record(line("5") + line("null") + line("5") + line("4"));
    CHECK(by_patience.state() == RunState::kEnded);
}

TEST_CASE("a run that counts updates has ended at its updates") {
    MadeRun run("[train]\ntotal_updates = 30\n");
    run.record("{\"frames\":5000,\"train/n_updates\":29}\n");
    run.stop();
    CHECK(run.state() == RunState::kStopped);
    run.record("{\"frames\":5000,\"train/n_updates\":30}\n");
    CHECK(run.state() == RunState::kEnded);
}

}  // namespace run_state_test
