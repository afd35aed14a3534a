// SPDX-License-Identifier: Apache-2.0
// Once a run is under way it allocates nothing: acting, stepping, sampling, updating, recording, showing progress. What
// libtorch allocates inside of a program's call is reported, not forbidden.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "marked_executor.hpp"
#include "run/sessions/progress.hpp"
#include "run/sessions/recorder.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/counted_allocations.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/trainer.hpp"

namespace {

using tenon::test::AllocationsPerThread;

constexpr int kWarmRounds = 12;
constexpr std::int64_t kFrames = 10'000;
constexpr std::int64_t kRecordEvery = 4;  // rounds

// 192 lanes are three ranges of work, so that both threads step.
constexpr const char* kShared = R"(
[run]
total_frames = 1_000_000
threads = 2

[env]
plugin = "classic/CartPole-v1"
lanes = 192

[train]
)";

constexpr const char* kLearning = R"(batch = 192
updates_per_batch = 20
minibatch = 64
start_frames = 1_000
clip_norm = 10.0

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [32, 32]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"
capacity = 5_000

[objective]
plugin = "dqn/dqn"

[schedule]
"exploration.epsilon" = { kind = "linear", from = 1.0, to = 0.05, fraction = 0.1 }
"optimiser.lr" = { kind = "linear", from = 1e-3, to = 0.0, fraction = 1.0 }
)";

constexpr const char* kBatches = R"(
batch = 768
minibatch = 160
accumulate = 2
epochs = 3

[policy.actor]
plugin = "mlp/categorical"
hidden = [32, 32]

[policy.value]
plugin = "mlp/value"
hidden = [32, 32]

[objective]
plugin = "ppo/ppo"

[schedule]
"optimiser.lr" = { kind = "linear", from = 1e-3, to = 0.0, fraction = 1.0 }
)";

// Rounds of whole episodes, each of another size.
constexpr const char* kEpisodes = R"(
[run]
total_frames = 1_000_000

[env]
plugin = "classic/CartPole-v1"
lanes = 16

[policy.actor]
plugin = "mlp/categorical"
hidden = [32, 32]

[policy.value]
plugin = "mlp/value"
hidden = [32, 32]

[objective]
plugin = "reinforce/reinforce"
normalise_advantage = true

[train]
episodes = 16
minibatch = 8000
)";

constexpr const char* kRandom = R"(batch = 192

[policy.random]
plugin = "random/random"
)";

constexpr const char* kPendulum = R"(
[run]
total_frames = 1_000_000

[env]
plugin = "classic/Pendulum-v1"
lanes = 24

[train]
batch = 96
start_frames = 384
minibatch = 32
)";

// Actor and critic learn from what a model imagines.
constexpr const char* kImagining = R"(
[policy.world]
plugin = "world/rssm3"
memory_size = 8
latents = 2
classes = 4
hidden = 8
bins = 11

[policy.actor]
plugin = "world/bounded_normal"
hidden = 8

[policy.value]
plugin = "world/two_hot"
hidden = 8
bins = 11

[buffer]
plugin = "replay/slices"
length = 8
capacity = 5_000

[objective]
plugin = "dreamer/v3"
horizon = 4
)";

// A planner imagines in each step.
constexpr const char* kPlanning = R"(
[policy.actor]
plugin = "plan/cem"
horizon = 4
candidates = 8
elites = 3
iterations = 2

[policy.model]
plugin = "model/ensemble"
hidden = [8]
count = 2

[buffer]
plugin = "replay/uniform"
capacity = 600    # so that its ring has been full before

[objective]
plugin = "model/fit"
)";

// Each lane keeps something, some of it in common, and episodes end early.
constexpr const char* kTransforms = R"(
[[env.transforms]]
plugin = "standard/time_limit"
max_steps = 9

[[env.transforms]]
plugin = "standard/observation_norm"

[[env.transforms]]
plugin = "standard/frame_stack"

[[env.transforms]]
plugin = "standard/reward_sum"

[[env.transforms]]
plugin = "standard/primer"
column = "skill"
shape = [3]
draw = "normal"
)";

constexpr const char* kSampled = R"(
[[buffer.transforms]]
plugin = "standard/observation_scale"
scale = [2.0]

[[buffer.transforms]]
plugin = "standard/reward_clip"
)";

// Every kind of call of a round, with metrics, columns and a moved option.
constexpr const char* kHooks = R"(
[[hooks]]
plugin = "hooks/kl_adaptive_lr"

[[hooks]]
plugin = "hooks/early_stop"
metric = "train/loss"
every = 1
patience = 1_000_000

[[hooks]]
plugin = "hooks/quantiles"
column = "observation"

[[hooks]]
plugin = "hooks/reward_log"
)";

struct Steady {
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    std::int64_t calls = 0;  // of programs
    AllocationsPerThread before{};
    AllocationsPerThread after{};

    [[nodiscard]] std::uint64_t outside() const { return sum(&tenon::test::Allocations::outside); }
    [[nodiscard]] std::uint64_t in_programs() const { return sum(&tenon::test::Allocations::marked); }

private:
    [[nodiscard]] std::uint64_t sum(std::uint64_t tenon::test::Allocations::* where) const {
        std::uint64_t out = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            out += after[i].*where - before[i].*where;
        }
        return out;
    }
};

// What the loop of a run does between its evaluations and checkpoints.
void run_round(tenon::Trainer& trainer, tenon::Recorder& recorder, tenon::Progress& progress, std::int64_t round) {
    REQUIRE(trainer.round().has_value());
    if (!trainer.source().lanes().take_warnings().empty()) {
        FAIL("a lane was given up");
    }
    const double now_s = static_cast<double>(round);
    if (round % kRecordEvery == 0) {
        REQUIRE(recorder.record(trainer, {}, now_s, 1000.0).has_value());
    }
    progress.update({.frames = trainer.standing().frames, .return_mean = trainer.source().episodes().mean_return()},
                    now_s);
}

Steady measure(const std::string& manifest, const char* by = "reference") {
    const tenon::test::ScratchFolder scratch;
    tenon::test::spill(scratch / "m.toml", manifest);
    tenon::Problems problems;
    tenon::Setup setup = tenon::set_up({.manifest = scratch / "m.toml", .overrides = {}, .plugins = {}}, problems);
    for (const tenon::Problem& problem : problems) {
        FAIL(tenon::render(problem));
    }
    std::unique_ptr<tenon::Executor> loaded;
    std::optional<tenon::test::MarkedExecutor> executor;
    if (setup.wiring->learns()) {
        auto executor_or = tenon::load_executor(by, setup.wiring->real());
        REQUIRE(executor_or.has_value());
        loaded = std::move(*executor_or);
        executor.emplace(*loaded);
    }
    auto trainer = tenon::Trainer::make(*setup.wiring, setup.running, *setup.host, executor ? &*executor : nullptr);
    REQUIRE(trainer.has_value());
    auto recorder = tenon::Recorder::open(scratch.path(), *setup.wiring);
    REQUIRE(recorder.has_value());
    const tenon::FileDescriptor null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    tenon::Progress progress(null.get(), {.redraws = true, .colour = true}, 1'000'000);

    std::int64_t round = 0;
    while (round < kWarmRounds) {
        run_round(**trainer, *recorder, progress, round++);
    }
    const tenon::Standing start = (*trainer)->standing();
    const std::int64_t calls = executor ? executor->calls() : 0;
    Steady out;
    {
        const tenon::test::TraceAllocations trace;
        out.before = tenon::test::allocations();
        while ((*trainer)->standing().frames < start.frames + kFrames) {
            run_round(**trainer, *recorder, progress, round++);
        }
        out.after = tenon::test::allocations();
    }
    out.frames = (*trainer)->standing().frames - start.frames;
    out.updates = (*trainer)->standing().updates - start.updates;
    out.calls = executor ? executor->calls() - calls : 0;
    return out;
}

void report(const char* name, const Steady& steady) {
    std::cout << name << ": " << steady.frames << " frames, " << steady.updates << " updates\n";
    for (std::size_t i = 0; i < steady.after.size(); ++i) {
        if (steady.after[i].outside + steady.after[i].marked > 0) {
            const std::uint64_t marked = steady.after[i].marked - steady.before[i].marked;
            std::cout << "  thread " << i << ": " << steady.after[i].outside - steady.before[i].outside
                      << " allocations, " << marked << " more inside of " << steady.calls << " calls of programs\n";
        }
    }
}

}  // namespace

TEST_CASE("the counters tell inside from outside") {
    const auto allocate = [] { return std::vector<char>(100).size(); };
    const AllocationsPerThread before = tenon::test::allocations();
    REQUIRE(allocate() == 100);
    const AllocationsPerThread outside = tenon::test::allocations();
    CHECK(outside[0].outside > before[0].outside);
    {
        const tenon::test::MarkedRegion region;
        REQUIRE(allocate() == 100);
    }
    const AllocationsPerThread marked = tenon::test::allocations();
    CHECK(marked[0].marked > outside[0].marked);
    std::size_t size = 0;
    std::thread([&] { size = allocate(); }).join();
    const AllocationsPerThread per_thread = tenon::test::allocations();
    CHECK(std::any_of(per_thread.begin() + 1, per_thread.end(), [](const auto& thread) { return thread.outside > 0; }));
}

TEST_CASE("a run that learns allocates nothing outside of the executor") {
    const Steady steady = measure(std::string(kShared) + kLearning);
    report("dqn", steady);
    CHECK(steady.frames >= 10'000);
    CHECK(steady.updates >= 1'000);
    CHECK(steady.calls >= steady.updates);
    CHECK(steady.outside() == 0);
}

TEST_CASE("a run that learns from whole batches allocates nothing outside of the executor") {
    for (const char* way : {"", "shuffle = \"lanes\"\nprepare = \"epoch\"\n"}) {
        const Steady steady = measure(std::string(kShared) + way + kBatches);
        report("ppo", steady);
        CHECK(steady.frames >= 10'000);
        CHECK(steady.updates >= 100);
        CHECK(steady.calls > 2 * steady.updates);
        CHECK(steady.outside() == 0);
    }
}

TEST_CASE("hooks allocate nothing") {
    std::string batches(kBatches);
    batches = batches.substr(0, batches.find("[schedule]"));  // of what a hook moves
    const Steady steady = measure(std::string(kShared) + batches + kHooks);
    report("hooks", steady);
    CHECK(steady.updates >= 100);
    CHECK(steady.outside() == 0);
}

TEST_CASE("compiled programs allocate nothing either, once those that are watched have run") {
    for (const std::string& manifest : {std::string(kShared) + kLearning, std::string(kShared) + kBatches}) {
        const Steady steady = measure(manifest, "auto");
        report("compiled", steady);
        CHECK(steady.updates >= 100);
        CHECK(steady.calls >= steady.updates);
        CHECK(steady.outside() == 0);
        CHECK(steady.in_programs() == 0);
    }
}

TEST_CASE("imagination allocates nothing") {
    for (const char* manifest : {kImagining, kPlanning}) {
        const Steady steady = measure(std::string(kPendulum) + manifest, "auto");
        report("imagination", steady);
        CHECK(steady.updates >= 100);
        CHECK(steady.calls >= steady.updates);
        CHECK(steady.outside() == 0);
        CHECK(steady.in_programs() == 0);
    }
}

TEST_CASE("programs for rounds of whole episodes are compiled once, for every size that a round may have") {
    const Steady steady = measure(kEpisodes, "auto");
    report("episodes", steady);
    CHECK(steady.updates >= 10);
    CHECK(steady.outside() == 0);
    CHECK(steady.in_programs() == 0);
}

TEST_CASE("a run that plays at random allocates nothing") {
    const Steady steady = measure(std::string(kShared) + kRandom);
    report("random", steady);
    CHECK(steady.frames >= 10'000);
    CHECK(steady.calls == 0);
    CHECK(steady.outside() == 0);
}

TEST_CASE("transforms allocate nothing either") {
    const Steady steady = measure(std::string(kShared) + kRandom + kTransforms);
    report("transforms", steady);
    CHECK(steady.frames >= 10'000);
    CHECK(steady.outside() == 0);
}

TEST_CASE("transforms of sampled rows allocate nothing either") {
    const Steady steady = measure(std::string(kShared) + kLearning + kSampled);
    report("transforms of sampled rows", steady);
    CHECK(steady.frames >= 10'000);
    CHECK(steady.outside() == 0);
}
