// SPDX-License-Identifier: Apache-2.0
// A round that is left in its middle, saved, and gone on with by another trainer is the round that was never left.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/snapshot.hpp"
#include "train/loop/trainer.hpp"

namespace round_test {

using namespace tenon;

namespace {

// The how-manieth question whether to stop is answered with yes; negative: none is.
std::int64_t stops_at = -1;
std::atomic<std::int64_t> asked = 0;  // a thread that collects asks as well
bool stop_now() noexcept {
    return asked++ == stops_at;
}

struct Rig {
    Setup setup;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;

    explicit Rig(const std::filesystem::path& manifest) {
        Problems problems;
        setup = set_up({.manifest = manifest}, problems);
        for (const Problem& problem : problems) {
            FAIL(render(problem));
        }
        auto loaded = load_executor_of(*setup.wiring, setup.host->pool);
        REQUIRE(loaded.has_value());
        executor = std::move(*loaded);
        auto made = Trainer::make(*setup.wiring, setup.running, *setup.host, executor.get());
        REQUIRE(made.has_value());
        trainer = std::move(*made);
    }

    void save_to(const std::filesystem::path& folder) const {
        std::filesystem::create_directory(folder);
        REQUIRE(save(*trainer, {}, true, folder).has_value());
    }
};

std::string contents(const std::filesystem::path& folder) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files.insert(entry.path());
    }
    std::string out;
    for (const auto& file : files) {
        out += file.filename().string() + "\n" + test::slurp(file);
    }
    return out;
}

struct Play {
    std::string saved;       // after the last round
    std::int64_t asked = 0;  // whether to stop
    bool stopped_collecting = false;
    bool stopped_learning = false;
};

// Some rounds; stopped at the question of that number they are gone on with by a trainer that was restored from there.
Play play(const std::string& text, std::int64_t stop, std::int64_t rounds) {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", text);
    std::optional<Rig> rig(std::in_place, scratch / "m.toml");
    Play out;
    stops_at = stop;
    asked = 0;
    for (std::int64_t round = 0; round < rounds; ++round) {
        REQUIRE(rig->trainer->round(stop_now).has_value());
        if (!rig->trainer->in_round()) {
            continue;
        }
        const RoundPosition& position = rig->trainer->progress().round;
        (position.collected ? out.stopped_learning : out.stopped_collecting) = true;
        rig->save_to(scratch / "middle");
        rig.reset();
        rig.emplace(scratch / "m.toml");
        const auto restored = restore(*rig->trainer, scratch / "middle");
        REQUIRE(restored.has_value());
        CHECK(restored->notices.empty());
        REQUIRE(rig->trainer->in_round());
        REQUIRE(rig->trainer->round(stop_now).has_value());
        REQUIRE_FALSE(rig->trainer->in_round());
    }
    rig->save_to(scratch / "end");
    out.saved = contents(scratch / "end");
    out.asked = asked;
    return out;
}

// At every question, or of very many at about so many of them.
void check_all_stops(const std::string& text, std::int64_t most = 1000, std::int64_t rounds = 2) {
    const Play whole = play(text, -1, rounds);
    REQUIRE(whole.asked > 5);
    bool collecting = false;
    bool learning = false;
    for (std::int64_t stop = 0; stop < whole.asked; stop += whole.asked / most + 1) {
        const Play cut = play(text, stop, rounds);
        INFO("stopped at question " << stop << " of " << whole.asked);
        CHECK((cut.stopped_collecting || cut.stopped_learning));
        CHECK(cut.saved == whole.saved);
        collecting = collecting || cut.stopped_collecting;
        learning = learning || cut.stopped_learning;
    }
    CHECK(collecting);
    CHECK(learning);
}

constexpr const char* kRun = R"(
[run]
total_frames = 100_000
executor = "compiled"

[env]
plugin = "classic/CartPole-v1"
lanes = 4
)";

constexpr const char* kDqn = R"(
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/prioritised"
capacity = 64

[objective]
plugin = "dqn/dqn"
)";

constexpr const char* kPpo = R"(
[policy.actor]
plugin = "mlp/categorical"
hidden = [8]

[policy.value]
plugin = "mlp/value"
hidden = [8]

[objective]
plugin = "ppo/ppo"
)";

}  // namespace

TEST_CASE("a round with a buffer may be left anywhere") {
    check_all_stops(std::string(kRun) + kDqn + "[train]\nbatch = 24\nupdates_per_batch = 4\nminibatch = 8\n");
    check_all_stops(std::string(kRun) + kDqn +
                    "[train]\nbatch = 16\nupdates_per_frame = 0.3\nminibatch = 8\naccumulate = 2\n");
}

TEST_CASE("a round whose frames get columns as they are stored may be left anywhere") {
    std::string text = std::string(kRun) + kPpo + "[buffer]\nplugin = \"replay/uniform\"\ncapacity = 36\n";
    text.replace(text.find("ppo/ppo"), 7, "awr/awr");
    check_all_stops(text + "[train]\nbatch = 24\nminibatch = 8\nupdates_per_batch = 3\n");
}

TEST_CASE("a round of several objectives may be left anywhere") {
    const std::string named = std::string(kDqn) + "[train]\nbatch = 24\nminibatch = 8\n";
    std::string text = named;
    text.replace(text.find("[objective]"), 11, "[[objective]]\nname = \"first\"\nupdates_per_batch = 3");
    check_all_stops(std::string(kRun) + text +
                    "[[objective]]\nname = \"second\"\nplugin = \"dqn/dqn\"\nminibatch = 5\nevery = 2\n");
}

TEST_CASE("a round with noise on parameters may be left anywhere") {
    check_all_stops(std::string(kRun) + kDqn + "[parameter_noise]\n[train]\nbatch = 16\nminibatch = 8\n");
}

// In five rounds of four updates the parameters that act change, and the reference is copied in the middle of rounds.
TEST_CASE("a round that acts with a lag, and learns with a reference, may be left anywhere") {
    std::string text = std::string(kRun) + kPpo + "reference_kl = 0.5\n";
    text.replace(text.find("hidden = [8]"), 12, "hidden = [8]\nreference = { every = 3 }");
    const std::string train = "[train]\nbatch = 16\nminibatch = 8\nepochs = 2\n[optimiser]\nlr = 0.05\n";
    check_all_stops(text + "[collector]\nlag = 2\n" + train, 1000, 5);
    CHECK(play(text + train, -1, 5).saved != play(text + "[collector]\nlag = 2\n" + train, -1, 5).saved);
}

// Which thread is asked first is not said, so a question may stop the one or the other.
TEST_CASE("a round that collects while it learns may be left anywhere") {
    const std::string text =
        std::string(kRun) + kDqn +
        "[collector]\nkind = \"async\"\n[train]\nbatch = 24\nupdates_per_batch = 4\nminibatch = 8\n"
        "[schedule]\n\"exploration.epsilon\" = { kind = \"linear\", from = 1.0, to = 0.1, frames = 60 }\n";
    const Play whole = play(text, -1, 5);
    REQUIRE(whole.asked > 20);
    for (int again = 0; again < 3; ++again) {
        CHECK(play(text, -1, 5).saved == whole.saved);
        for (std::int64_t stop = 0; stop < whole.asked; ++stop) {
            INFO("stopped at question " << stop << " of " << whole.asked);
            CHECK(play(text, stop, 5).saved == whole.saved);
        }
    }
}

// Draws are numbered by steps, so steps that were not counted would repeat their draws.
TEST_CASE("a round that collects while it learns counts its steps and frames") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml",
                std::string(kRun) + kDqn + "[collector]\nkind = \"async\"\n[train]\nbatch = 24\nminibatch = 8\n");
    const Rig rig(scratch / "m.toml");
    for (std::int64_t round = 1; round <= 3; ++round) {
        REQUIRE(rig.trainer->round().has_value());
        CHECK(rig.trainer->standing().steps == 6 * round);
        CHECK(rig.trainer->standing().frames == 24 * round);
    }
}

TEST_CASE("a minibatch without a round is chosen from frames that were collected for it") {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", std::string(kRun) + kDqn + "[train]\nbatch = 24\nminibatch = 8\n");
    const Rig rig(scratch / "m.toml");
    for (std::int64_t minibatch = 1; minibatch <= 2; ++minibatch) {
        CHECK(rig.trainer->collect_minibatch(rig.trainer->units()[0]).has_value());
        CHECK(rig.trainer->standing().frames == 12 * minibatch);  // a frame of each lane has no successor yet
    }
}

// A part of a round ends where its updates and its steps have been made, whichever thread is asked to stop.
TEST_CASE("a round in parts may be left anywhere") {
    const std::string train = "[train]\nbatch = 24\nupdates_per_batch = 5\nminibatch = 8\n";
    const std::string text = std::string(kRun) + kDqn + "[collector]\nkind = \"async\"\n";
    const Play whole = play(text + "max_lag = 2\n" + train, -1, 4);
    REQUIRE(whole.asked > 20);
    CHECK(whole.saved != play(text + train, -1, 4).saved);
    for (std::int64_t stop = 0; stop < whole.asked; ++stop) {
        INFO("stopped at question " << stop << " of " << whole.asked);
        CHECK(play(text + "max_lag = 2\n" + train, stop, 4).saved == whole.saved);
    }
}

TEST_CASE("a round in parts of several objectives, prefetched, may be left anywhere") {
    std::string text = std::string(kRun) + kDqn + "[collector]\nkind = \"async\"\nmax_lag = 3\n" +
                       "[train]\nbatch = 24\nminibatch = 8\n";
    text.replace(text.find("replay/prioritised"), 18, "replay/uniform");
    text.replace(text.find("capacity = 64"), 13, "capacity = 64\nprefetch = true");
    text.replace(text.find("[objective]"), 11, "[[objective]]\nname = \"first\"\nupdates_per_batch = 4");
    text += "[[objective]]\nname = \"second\"\nplugin = \"dqn/dqn\"\nminibatch = 5\nevery = 2\nupdates_per_batch = 3\n";
    const Play whole = play(text, -1, 4);
    for (std::int64_t stop = 0; stop < whole.asked; ++stop) {
        INFO("stopped at question " << stop << " of " << whole.asked);
        CHECK(play(text, stop, 4).saved == whole.saved);
    }
}

TEST_CASE("a round without a buffer may be left anywhere") {
    check_all_stops(std::string(kRun) + kPpo + "[train]\nbatch = 24\nminibatch = 10\nepochs = 2\n");
    check_all_stops(std::string(kRun) + kPpo +
                    "[train]\nbatch = 24\nminibatch = 4\nepochs = 2\nprepare = \"epoch\"\naccumulate = 2\n");
}

TEST_CASE("a round of whole episodes may be left anywhere") {
    check_all_stops(std::string(kRun) + kPpo + "[train]\nepisodes = 4\nminibatch = 64\n");
}

TEST_CASE("a round of a policy that remembers may be left anywhere") {
    std::string text = std::string(kRun) + kPpo;
    for (std::size_t at = 0; (at = text.find("hidden = [8]", at)) != std::string::npos; at += 10) {
        text.replace(at, 12, "hidden = [8]\ncell = \"gru\"");
    }
    check_all_stops(text + "[train]\nbatch = 32\nminibatch = 16\nepochs = 2\nshuffle = \"slices\"\nslice_length = 4\n");
}

TEST_CASE("the computation of very many rows is given up in its middle") {
    std::string text = std::string(kRun) + kPpo + "[train]\nbatch = 16_384\nminibatch = 8192\nepochs = 2\n";
    text.replace(text.find("lanes = 4"), 9, "lanes = 2048");
    const Play whole = play(text, -1, 2);
    CHECK(whole.asked > 100);  // not between steps and updates alone, of which there are 24
    check_all_stops(text, 60);
}

}  // namespace round_test
