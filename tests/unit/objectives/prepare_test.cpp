// SPDX-License-Identifier: Apache-2.0
// When a run computes its advantages: once for all epochs on a batch, or before each of them by the value network as it
// is then. What the programs of a real run read and write is noted and computed again in plain loops.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "by_hand.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "train/loop/trainer.hpp"

namespace prepare_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kSteps = 64;
constexpr std::size_t kRows = kLanes * kSteps;

constexpr const char* kManifest = R"(
[run]
total_frames = 10_000
dtype = "float64"
[env]
plugin = "classic/CartPole-v1"
lanes = 4
[policy.actor]
plugin = "mlp/categorical"
hidden = [8]
[policy.value]
plugin = "mlp/value"
hidden = [8]
[objective]
plugin = "ppo/ppo"
gamma = 0.9
lambda = 0.8
[optimiser]
lr = 1e-2
[train]
batch = 256
minibatch = 64
epochs = 3
)";

// One call of a program: what it was given, what it wrote, the value network that it found.
struct Seen {
    std::string program;
    std::map<std::string, std::vector<double>> columns;
    Network value;
};

class ListeningProgram final : public Program {
public:
    ListeningProgram(ProgramSpec spec, std::unique_ptr<Program> inner, Learner& learner, std::vector<Seen>& log)
        : spec_(std::move(spec)), inner_(std::move(inner)), learner_(&learner), log_(&log) {}

    Result<Computed*> run(const Call& call) override {
        if (spec_.name == "act") {
            return inner_->run(call);
        }
        Seen seen{.program = spec_.name, .columns = {}, .value = copy_of(*learner_->find("value"))};
        const auto rows =
            static_cast<std::size_t>(call.sizes.rows > 0 ? call.sizes.rows : call.sizes.time * call.sizes.lanes);
        Result<Computed*> computed = inner_->run(call);
        for (std::size_t i = 0; i < spec_.inputs.size(); ++i) {
            note(seen, spec_.inputs[i], call.inputs[i], rows);
        }
        for (std::size_t i = 0; i < spec_.outputs.size(); ++i) {
            note(seen, spec_.outputs[i], call.outputs[i], rows);
        }
        log_->push_back(std::move(seen));
        return computed;
    }

private:
    static Network copy_of(const Network& from) {
        Network out;
        out.layout = from.layout;
        Result<Slab> live = Slab::make(from.live.size());
        REQUIRE(live.has_value());
        out.live = std::move(*live);
        std::memcpy(out.live.data(), from.live.data(), from.live.size());
        return out;
    }

    template <class T>
    static std::vector<double> read(const void* data, std::size_t count) {
        const auto* values = static_cast<const T*>(data);
        return {values, values + count};
    }

    static void note(Seen& seen, const Port& port, const void* data, std::size_t rows) {
        const std::size_t count = rows * static_cast<std::size_t>(port.row.elements());
        switch (port.dtype) {
            case DType::kF64:
                seen.columns[port.key] = read<double>(data, count);
                break;
            case DType::kF32:
                seen.columns[port.key] = read<float>(data, count);
                break;
            case DType::kBool:
                seen.columns[port.key] = read<std::uint8_t>(data, count);
                break;
            default:
                break;
        }
    }

    ProgramSpec spec_;
    std::unique_ptr<Program> inner_;
    Learner* learner_;
    std::vector<Seen>* log_;
};

class ListeningExecutor final : public Executor {
public:
    ListeningExecutor(std::unique_ptr<Executor> inner, std::vector<Seen>& log) : inner_(std::move(inner)), log_(&log) {}
    [[nodiscard]] std::string_view name() const override { return inner_->name(); }
    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return listening(spec, learner, inner_->forward(spec, learner));
    }
    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        return listening(spec, learner, inner_->update(spec, std::move(stages), learner));
    }

private:
    Result<std::unique_ptr<Program>> listening(const ProgramSpec& spec, Learner& learner,
                                               Result<std::unique_ptr<Program>> made) {
        REQUIRE(made.has_value());
        return std::unique_ptr<Program>(std::make_unique<ListeningProgram>(spec, std::move(*made), learner, *log_));
    }

    std::unique_ptr<Executor> inner_;
    std::vector<Seen>* log_;
};

// Two rounds of the run.
std::vector<Seen> two_rounds(const std::string& prepare) {
    ScratchFolder scratch;
    spill(scratch / "m.toml", std::string(kManifest) + "prepare = \"" + prepare + "\"\n");
    Problems problems;
    Setup setup = set_up(
        {.manifest = scratch / "m.toml", .overrides = {}, .plugins = {{TENON_PLUGINS, "the tests", {}}}}, problems);
    for (const Problem& problem : problems) {
        FAIL(render(problem));
    }
    auto inner = load_executor("reference", DType::kF64);
    REQUIRE(inner.has_value());
    std::vector<Seen> log;
    ListeningExecutor executor(std::move(*inner), log);
    auto trainer = Trainer::make(*setup.wiring, setup.running, *setup.host, &executor);
    REQUIRE(trainer.has_value());
    REQUIRE((*trainer)->round().has_value());
    REQUIRE((*trainer)->round().has_value());
    return log;
}

// Of the columns that `seen` was given, by this value network.
std::vector<double> advantages_by_hand(const Seen& seen, const Network& value) {
    const auto& columns = seen.columns;
    const auto value_at = [&](const char* key, std::size_t row) {
        const auto first = columns.at(key).begin() + static_cast<std::ptrdiff_t>(4 * row);
        return mlp(value, value.live, Vector(first, first + 4))[0];
    };
    std::vector<double> out(kRows);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        double trace = 0;
        for (std::size_t t = kSteps; t-- > 0;) {
            const std::size_t row = t * kLanes + lane;
            const double goes_on = 1 - columns.at("next.terminated")[row];
            const double error = columns.at("next.reward")[row] + 0.9 * goes_on * value_at("next.observation", row) -
                                 value_at("observation", row);
            trace = error + 0.9 * 0.8 * (1 - columns.at("next.done")[row]) * trace;
            out[row] = trace;
        }
    }
    return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out = std::max(out, std::abs(a[i] - b[i]));
    }
    return out;
}

std::vector<double> sorted(std::vector<double> values) {
    std::ranges::sort(values);
    return values;
}

// The advantages that the updates from `first` on read, in an epoch of four minibatches.
std::vector<double> read_in_epoch(const std::vector<Seen>& log, std::size_t first) {
    std::vector<double> out;
    for (std::size_t i = first; i < first + 4; ++i) {
        REQUIRE(log[i].program == "update");
        const std::vector<double>& part = log[i].columns.at("advantage");
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

}  // namespace

TEST_CASE("train.prepare = epoch computes advantages by the value network of each epoch's start") {
    const std::vector<Seen> log = two_rounds("epoch");
    REQUIRE(log.size() == std::size_t{30});
    for (std::size_t round = 0; round < 2; ++round) {
        for (std::size_t epoch = 0; epoch < 3; ++epoch) {
            CAPTURE(round, epoch);
            const std::size_t first = 15 * round + 5 * epoch;
            const Seen& prepared = log[first];
            REQUIRE(prepared.program == "prepare");
            const std::vector<double>& advantage = prepared.columns.at("advantage");
            CHECK(largest_difference(advantage, advantages_by_hand(prepared, prepared.value)) < 1e-12);
            CHECK(sorted(read_in_epoch(log, first + 1)) == sorted(advantage));
            if (epoch > 0) {  // the network has learnt since, and the batch is the same
                const Seen& before = log[first - 5];
                CHECK(prepared.columns.at("observation") == before.columns.at("observation"));
                CHECK(largest_difference(advantage, advantages_by_hand(prepared, before.value)) > 1e-3);
            }
        }
    }
}

TEST_CASE("train.prepare = batch computes advantages once, by the value network of the batch's start") {
    const std::vector<Seen> log = two_rounds("batch");
    REQUIRE(log.size() == std::size_t{26});
    for (std::size_t round = 0; round < 2; ++round) {
        CAPTURE(round);
        const std::size_t first = 13 * round;
        const Seen& prepared = log[first];
        REQUIRE(prepared.program == "prepare");
        const std::vector<double>& advantage = prepared.columns.at("advantage");
        CHECK(largest_difference(advantage, advantages_by_hand(prepared, prepared.value)) < 1e-12);
        for (std::size_t epoch = 0; epoch < 3; ++epoch) {
            CAPTURE(epoch);
            const Network& now = log[first + 1 + 4 * epoch].value;
            CHECK(sorted(read_in_epoch(log, first + 1 + 4 * epoch)) == sorted(advantage));
            CHECK((largest_difference(advantage, advantages_by_hand(prepared, now)) > 1e-3) == (epoch > 0));
        }
    }
}

}  // namespace prepare_test
