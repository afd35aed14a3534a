// SPDX-License-Identifier: Apache-2.0
// What a run without a buffer does with a batch, seen from the executor's side: programs that compute nothing note what
// they are given.
#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/trainer.hpp"

namespace batches_test {

namespace {

using namespace tenon;

constexpr std::uint32_t kLanes = 4;
constexpr std::uint32_t kBatch = 64;

constexpr const char* kManifest = R"(
[run]
total_frames = 10_000
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.actor]
plugin = "mlp/categorical"
[policy.value]
plugin = "mlp/value"
[objective]
plugin = "batches/fit"
[train]
)";

struct Seen {
    std::string program;
    Sizes sizes;
    std::uint64_t counter = 0;
    bool first = false;
    bool last = false;
    std::vector<float> goal;
    std::vector<float> observation;
};

struct Log {
    std::vector<Seen> calls;                                            // acting left out
    std::function<void(const Seen&, std::span<double>)> controls = {};  // what an update answers
};

class NotingProgram final : public Program {
public:
    NotingProgram(const ProgramSpec& spec, Log& log) : spec_(spec), log_(log) {}

    Result<Computed*> run(const Call& call) override {
        if (spec_.name == "act") {
            return nullptr;
        }
        const std::int64_t rows = call.sizes.rows > 0 ? call.sizes.rows : call.sizes.time * call.sizes.lanes;
        if (spec_.name == "prepare") {
            auto* goal = static_cast<float*>(call.outputs[0]);
            std::iota(goal, goal + rows, 0.0F);
        }
        Seen seen{.program = spec_.name,
                  .sizes = call.sizes,
                  .counter = call.random.counter,
                  .first = call.part.first,
                  .last = call.part.last,
                  .goal = read(call, "goal", static_cast<std::size_t>(rows)),
                  .observation = read(call, "observation", static_cast<std::size_t>(rows) * 4)};
        if (log_.controls && spec_.name == "update") {
            log_.controls(seen, call.results.controls);
        }
        log_.calls.push_back(std::move(seen));
        return &computed_;
    }

private:
    std::vector<float> read(const Call& call, std::string_view key, std::size_t count) const {
        for (std::size_t i = 0; i < spec_.inputs.size(); ++i) {
            if (spec_.inputs[i].key == key) {
                const auto* data = static_cast<const float*>(call.inputs[i]);
                return {data, data + count};
            }
        }
        return {};
    }

    ProgramSpec spec_;
    Log& log_;
    Computed computed_;
};

class NotingExecutor final : public Executor {
public:
    explicit NotingExecutor(Log& log) : log_(log) {}
    [[nodiscard]] std::string_view name() const override { return "noting"; }
    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner&) override {
        return std::unique_ptr<Program>(std::make_unique<NotingProgram>(spec, log_));
    }
    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan>, Learner&) override {
        return std::unique_ptr<Program>(std::make_unique<NotingProgram>(spec, log_));
    }

private:
    Log& log_;
};

// The rounds of a run with these lines after [train].
struct Rig {
    test::ScratchFolder scratch;
    Log log;
    NotingExecutor executor{log};
    Setup setup;
    std::unique_ptr<Trainer> trainer;

    explicit Rig(const std::string& lines, std::uint32_t batch = kBatch) {
        test::spill(scratch / "m.toml",
                    kManifest + lines + (batch > 0 ? "batch = " + std::to_string(batch) + "\n" : ""));
        Problems problems;
        setup = set_up({.manifest = scratch / "m.toml",
                        .overrides = {},
                        .plugins = {{TENON_PLUGINS, "the tests", {}}, {TENON_FIXTURE_PLUGINS, "the tests", {}}}},
                       problems);
        for (const Problem& problem : problems) {
            FAIL(render(problem));
        }
        auto made = Trainer::make(*setup.wiring, setup.running, *setup.host, &executor);
        REQUIRE(made.has_value());
        trainer = std::move(*made);
    }

    std::vector<Seen> round() {
        log.calls.clear();
        REQUIRE(trainer->round().has_value());
        return log.calls;
    }
};

std::string order_of(const std::vector<Seen>& calls) {
    std::string out;
    for (const Seen& call : calls) {
        out += call.program[0];
    }
    return out;
}

std::vector<float> goals(const std::vector<Seen>& calls) {
    std::vector<float> out;
    for (const Seen& call : calls) {
        if (call.program == "update") {
            out.insert(out.end(), call.goal.begin(), call.goal.end());
        }
    }
    return out;
}

}  // namespace

TEST_CASE("a batch is prepared, dealt out to epochs and concluded") {
    Rig rig("minibatch = 24\nepochs = 2\n");
    for (int round = 0; round < 3; ++round) {
        const std::vector<Seen> calls = rig.round();
        REQUIRE(order_of(calls) == "puuuuuuc");
        CHECK(calls.front().sizes.time == kBatch / kLanes);
        CHECK(calls.front().sizes.lanes == kLanes);
        CHECK(calls.back().sizes.time == kBatch / kLanes);
        CHECK(calls[3].sizes.rows == 16);
        // what was prepared arrives row by row, beside the columns of the same row
        std::vector<float> dealt = goals(calls);
        for (std::size_t epoch = 0; epoch < 2; ++epoch) {
            std::vector<float> rows(dealt.begin() + static_cast<std::ptrdiff_t>(epoch * kBatch),
                                    dealt.begin() + static_cast<std::ptrdiff_t>((epoch + 1) * kBatch));
            CHECK_FALSE(std::is_sorted(rows.begin(), rows.end()));
            std::sort(rows.begin(), rows.end());
            for (std::size_t i = 0; i < kBatch; ++i) {
                REQUIRE(rows[i] == static_cast<float>(i));
            }
        }
        for (const Seen& call : calls) {
            for (std::size_t i = 0; call.program == "update" && i < call.goal.size(); ++i) {
                const auto row = static_cast<std::size_t>(call.goal[i]);
                REQUIRE(std::memcmp(&call.observation[i * 4], &calls.front().observation[row * 4], 16) == 0);
            }
        }
        CHECK(rig.trainer->standing().updates == std::int64_t{6} * (round + 1));
        CHECK(rig.trainer->standing().frames == std::int64_t{kBatch} * (round + 1));
        CHECK(rig.trainer->source().storage().head() == 0);
    }
}

TEST_CASE("each round begins where the one before it ended") {
    Rig whole("minibatch = 64\n", 2 * kBatch);
    Rig halves("minibatch = 64\n");
    const std::vector<float> once = whole.round().front().observation;
    std::vector<float> twice = halves.round().front().observation;
    const std::vector<float> second = halves.round().front().observation;
    twice.insert(twice.end(), second.begin(), second.end());
    CHECK(twice == once);
}

TEST_CASE("train.prepare = epoch prepares again before each epoch") {
    Rig rig("minibatch = 32\nepochs = 3\nprepare = \"epoch\"\n");
    CHECK(order_of(rig.round()) == "puupuupuuc");
}

TEST_CASE("gathered minibatches make one update") {
    Rig rig("minibatch = 16\naccumulate = 3\nepochs = 2\n");
    const std::vector<Seen> calls = rig.round();
    REQUIRE(order_of(calls) == "puuuuuuuuc");
    std::string ends;
    std::vector<std::uint64_t> counters;
    for (const Seen& call : calls) {
        if (call.program == "update") {
            ends += call.first && call.last ? "|" : call.first ? "[" : call.last ? "]" : "-";
            counters.push_back(call.counter);
        }
    }
    CHECK(ends == "[-]|[-]|");  // four minibatches: three and the one that is left
    CHECK(rig.trainer->standing().updates == 4);
    CHECK(std::adjacent_find(counters.begin(), counters.end(), std::greater_equal<>()) == counters.end());
}

TEST_CASE("stop_epochs ends the epochs of this batch, not of the next") {
    Rig rig("minibatch = 16\nepochs = 5\n");
    int updates = 0;
    rig.log.controls = [&](const Seen&, std::span<double> controls) { controls[0] = ++updates == 6 ? 1 : 0; };
    CHECK(order_of(rig.round()) == "puuuuuuc");
    CHECK(order_of(rig.round()) == "p" + std::string(20, 'u') + "c");
    CHECK(rig.trainer->standing().updates == 26);
}

TEST_CASE("stop_epochs lets the minibatches of its own update come to their step") {
    Rig rig("minibatch = 16\naccumulate = 2\nepochs = 5\n");
    int updates = 0;
    rig.log.controls = [&](const Seen&, std::span<double> controls) { controls[0] = ++updates == 3 ? 1 : 0; };
    const std::vector<Seen> calls = rig.round();
    REQUIRE(order_of(calls) == "puuuuc");
    CHECK(calls[4].last);
}

TEST_CASE("lanes and slices come as sequences") {
    Rig lanes("minibatch = 32\nshuffle = \"lanes\"\n");
    Rig slices("minibatch = 24\nshuffle = \"slices\"\nslice_length = 4\n");
    const std::vector<Seen> whole = lanes.round();
    REQUIRE(order_of(whole) == "puuc");
    CHECK(whole[1].sizes.time == 16);
    CHECK(whole[1].sizes.lanes == 2);
    const std::vector<Seen> parts = slices.round();
    REQUIRE(order_of(parts) == "puuuc");
    CHECK(parts[1].sizes.time == 4);
    CHECK(parts[1].sizes.lanes == 6);
    CHECK(parts[3].sizes.lanes == 4);
    for (const Seen& call : {whole[1], parts[1], parts[3]}) {
        const auto width = static_cast<std::size_t>(call.sizes.lanes);
        for (std::size_t i = width; i < call.goal.size(); ++i) {
            CHECK(call.goal[i] == call.goal[i - width] + static_cast<float>(kLanes));  // the same lane, a step later
        }
    }
}

TEST_CASE("whole episodes: equally many of each lane, all begun with the round, and nothing of those after them") {
    Rig rig("episodes = 8\nminibatch = 4000\n", 0);
    std::int64_t frames = 0;
    std::vector<std::uint8_t> terminated;  // [slot][lane], as it is while the batch is learnt from
    rig.log.controls = [&](const Seen&, std::span<double>) {
        const Storage& storage = rig.trainer->source().storage();
        terminated.assign(storage.flags().terminated,
                          storage.flags().terminated + std::size_t{storage.head()} * kLanes);
    };
    for (int round = 0; round < 4; ++round) {
        CAPTURE(round);
        const std::vector<Seen> calls = rig.round();
        REQUIRE(order_of(calls) == "puc");
        const auto steps = static_cast<std::uint32_t>(calls.front().sizes.time);
        std::vector<float> expected;  // rows of the batch, slot * lanes + lane
        std::uint32_t longest = 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            int ended = 0;
            for (std::uint32_t slot = 0; slot < steps && ended < 2; ++slot) {
                expected.push_back(static_cast<float>(slot * kLanes + lane));
                ended += terminated[slot * kLanes + lane];
                longest = std::max(longest, slot + 1);
            }
            REQUIRE(ended == 2);
        }
        CHECK(longest == steps);  // the round ends with the last of them
        std::sort(expected.begin(), expected.end());
        std::vector<float> dealt = calls[1].goal;
        std::sort(dealt.begin(), dealt.end());
        CHECK(dealt == expected);
        CHECK(dealt.size() < std::size_t{steps} * kLanes);
        frames += std::int64_t{steps} * kLanes;
        CHECK(rig.trainer->standing().frames == frames);  // those that nobody learns from were steps of the env, too
        for (std::size_t i = 0; i < std::size_t{kLanes} * 4; ++i) {
            CHECK(std::abs(calls.front().observation[i]) <= 0.05F);  // where CartPole begins
        }
    }
}

}  // namespace batches_test
