// SPDX-License-Identifier: Apache-2.0
// Runs with every storage, writer and prefetch: those that must give the bytes of a run in memory do, and a run that
// goes on from a checkpoint gives those of one that never stopped.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "commands/explain/explain.hpp"
#include "config/manifest/manifest.hpp"
#include "engines/storage_compressed/packed_rows.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/snapshot.hpp"
#include "train/loop/trainer.hpp"

namespace storages_test {

namespace {

using namespace tenon;
using Bytes = std::vector<std::byte>;

// Rings that wrap around, of rows that are large enough to be compressed.
constexpr const char* kRun = R"(
[run]
total_frames = 100_000
executor = "compiled"
[env]
plugin = "classic/CartPole-v1"
lanes = 1
[[env.transforms]]
plugin = "standard/frame_stack"
frames = 16
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]
[exploration]
plugin = "explore/epsilon_greedy"
[objective]
plugin = "dqn/dqn"
[train]
batch = 32
start_frames = 64
updates_per_batch = 3
minibatch = 16
accumulate = 2
[buffer]
plugin = "replay/uniform"
capacity = 400
)";
constexpr int kRounds = 40;

struct Rig {
    Rig(const test::ScratchFolder& scratch, const std::string& more) {
        test::spill(scratch / "m.toml", kRun + more);
        Problems problems;
        setup = set_up({.manifest = scratch / "m.toml", .plugins = {{TENON_PLUGINS, "the test", {}}}}, problems);
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

    void go(int rounds) const {
        for (int round = 0; round < rounds; ++round) {
            const Status done = trainer->round(never_stops);
            if (!done) {
                FAIL(done.error().sentence);
            }
        }
    }

    [[nodiscard]] Bytes weights() const {
        Bytes out;
        for (const Network& network : trainer->learner().networks) {
            const auto* const bytes = network.live.as<std::byte>();
            out.insert(out.end(), bytes, bytes + network.live.size());
        }
        return out;
    }

    Setup setup;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;
};

Bytes weights_of(const std::string& more) {
    const test::ScratchFolder scratch;
    const Rig rig(scratch, more);
    rig.go(kRounds);
    return rig.weights();
}

// The same, in two parts with a checkpoint between them.
Bytes weights_in_two(const std::string& more, const std::string& later) {
    const test::ScratchFolder scratch;
    std::filesystem::create_directory(scratch / "saved");
    {
        const Rig first(scratch, more);
        first.go(kRounds / 2 + 3);
        REQUIRE(save(*first.trainer, {}, true, scratch / "saved").has_value());
    }
    const Rig second(scratch, later);
    const Result<Restored> restored = restore(*second.trainer, scratch / "saved");
    if (!restored) {
        FAIL(restored.error().sentence);
    }
    second.go(kRounds - kRounds / 2 - 3);
    return second.weights();
}

constexpr const char* kAsync = "[collector]\nkind = \"async\"\n";

TEST_CASE("compressed or prefetched, a run has the bytes of one in memory, also from a checkpoint on") {
    const std::string collector = GENERATE(as<std::string>{}, "", kAsync);
    CAPTURE(collector);
    const Bytes memory = weights_of(collector);
    const std::string compressed = "storage = \"compressed\"\n";
    const std::string prefetch = "prefetch = true\n";
    CHECK(weights_of(compressed + collector) == memory);
    CHECK(weights_of(prefetch + collector) == memory);
    CHECK(weights_of(compressed + prefetch + collector) == memory);
    CHECK(weights_in_two(compressed + prefetch + collector, compressed + collector) == memory);
}

TEST_CASE("a storage, a source or a recording that this program does not have is refused where the manifest names it") {
    const auto [more, key, sentence] = GENERATE(table<std::string, std::string, std::string>({
        {"storage = \"compressed\"\n", "storage", "this program has no storage \"compressed\""},
        {"[collector]\nkind = \"processes\"\n", "kind", "this program has no source \"processes\""},
        {"[collector]\nkind = \"pool\"\n", "kind", "this program has no source \"pool\""},
        {"[collector]\nrecord = \"out.frames\"\n", "record", "this program records no episodes that a run collects"},
    }));
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", kRun);
    Problems problems;
    const std::vector<SearchFolder> plugins = {{TENON_PLUGINS, "the test", {}}};
    const Setup setup = set_up({.manifest = scratch / "m.toml", .plugins = plugins}, problems);
    REQUIRE(problems.empty());
    setup.host->storages = {};
    setup.host->sources = {};
    setup.host->recordings = {};
    test::spill(scratch / "more.toml", kRun + more);
    const auto document = read_manifest((scratch / "more.toml").string(), {}, problems);
    Manifest manifest = read_tables(*document, problems);
    Running running;
    wire(std::move(manifest), *setup.host, false, running, problems);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.front().sentence == sentence);
    CHECK(problems.front().help == "`./tenon` in its clone builds what a manifest names, and `tools/build` everything");
    CHECK(problems.front().fault == Fault::kEnvironment);
    CHECK(problems.front().place.excerpt.starts_with(key));
}

TEST_CASE("a buffer on a disk has the bytes of one in memory when frames are collected while units learn") {
    const test::ScratchFolder ring;
    const std::string on_disk = "storage = \"mmap\"\npath = \"" + (ring / "ring").string() + "\"\n" + kAsync;
    CHECK(weights_of(on_disk) == weights_of(kAsync));
}

TEST_CASE("each writer keeps other frames, and goes on from a checkpoint as if it had not stopped") {
    const std::string collector = GENERATE(as<std::string>{}, "", kAsync);
    const std::string writer = GENERATE(as<std::string>{}, "writer = \"keep_best\"\n", "writer = \"reservoir\"\n");
    CAPTURE(collector, writer);
    const Bytes whole = weights_of(writer + collector);
    CHECK(whole != weights_of(collector));
    CHECK(weights_in_two(writer + collector, writer + collector) == whole);
}

TEST_CASE("a compressed run has large rows in blocks") {
    const test::ScratchFolder scratch;
    const Rig rig(scratch, "storage = \"compressed\"\n");
    rig.go(kRounds);
    const PackedRows* const packed = packed_rows(rig.trainer->source().storage());
    REQUIRE(packed != nullptr);
    REQUIRE(packed->columns().size() == 1);
    CHECK(packed->columns()[0].pictures == 16);
    CHECK(packed->packed_bytes() > 0);
    CHECK(packed->packed_bytes() < std::uint64_t{400} * 256 / 2);
}

// The sentences of a manifest that is refused; empty: it is not.
std::string refusal(const std::string& buffer, const std::string& run = kRun) {
    const test::ScratchFolder scratch;
    test::spill(scratch / "m.toml", run + buffer);
    Problems problems;
    const Setup setup =
        set_up({.manifest = scratch / "m.toml", .plugins = {{TENON_PLUGINS, "the test", {}}}}, problems);
    std::string out;
    for (const Problem& problem : problems) {
        out += (out.empty() ? "" : "; ") + problem.sentence;
    }
    return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("the best episodes have consecutive steps") {
    CHECK(refusal("writer = \"keep_best\"\nn_step = 3\n").empty());
}

TEST_CASE("what a compressed buffer cannot do is told in a sentence") {
    CHECK_THAT(refusal("storage = \"compressed\"\n[parameter_noise]\n"),
               Catch::Matchers::ContainsSubstring("[parameter_noise] compares actions on the newest steps, but "
                                                  "buffer.storage = \"compressed\" keeps frames compressed"));
}

TEST_CASE("what a prefetch cannot do is told in a sentence") {
    const std::string prefetch = "prefetch = true\n";
    const std::string prioritised = replaced(kRun, "replay/uniform", "replay/prioritised");
    CHECK(refusal(prefetch, prioritised) ==
          "buffer.prefetch gathers the next minibatch while an update is made, but replay/prioritised draws by "
          "priorities, which the update before changes");
    CHECK(
        refusal(prefetch, replaced(kRun, "replay/uniform", "replay/without_replacement")) ==
        "buffer.prefetch gathers the next minibatch while an update is made, but replay/without_replacement remembers "
        "what it has drawn, and a checkpoint between two updates would have a draw too many");
    CHECK(refusal(prefetch, replaced(replaced(kRun, "updates_per_batch = 3", "updates_per_batch = 1"), "accumulate = 2",
                                     "accumulate = 1")) ==
          "buffer.prefetch gathers the next minibatch while an update is made, but each round has one minibatch and "
          "nothing to be made before it: its frames have just come");
}

TEST_CASE("explain says which frames are kept, what is compressed and what is prepared") {
    const auto loop = [](const std::string& buffer) {
        const test::ScratchFolder scratch;
        test::spill(scratch / "m.toml", kRun + buffer);
        Problems problems;
        const Setup setup =
            set_up({.manifest = scratch / "m.toml", .plugins = {{TENON_PLUGINS, "the test", {}}}}, problems);
        REQUIRE(problems.empty());
        return explain(*setup.wiring, setup.running).loop;
    };
    using Catch::Matchers::ContainsSubstring;
    CHECK_THAT(loop("writer = \"keep_best\"\n"),
               ContainsSubstring(
                   "The buffer keeps the episodes with the largest sums of 'reward', 400 frames at most; episodes "
                   "of more than 400 steps are not kept, and nothing is learnt before the first one has ended."));
    CHECK_THAT(
        loop("writer = \"reservoir\"\n"),
        ContainsSubstring("The buffer keeps a uniform sample of all frames that have been collected: 400 frames."));
    CHECK_THAT(
        loop("storage = \"compressed\"\nprefetch = true\n"),
        ContainsSubstring("Compressed in blocks of 64 steps: 'observation' (0.1 MiB as plain rows); the metric "
                          "rollout/buffer_bytes says what they take. Another thread prepares the next minibatch of "
                          "dqn/dqn during an update; the first one of a round waits for its frames."));
}

}  // namespace

}  // namespace storages_test
