// SPDX-License-Identifier: Apache-2.0
// Values of all rows: updates of two and three shards against one process that has the rows of all of them.
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compute/exec/over_shards.hpp"
#include "engines/compiled/executor.hpp"
#include "engines/shards/shared_executor.hpp"
#include "memory_link.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace shared_values_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const std::vector<double> kLive{0.1, 0.0, 0.0, 0.0};  // lr, momentum, dampening, weight_decay
constexpr std::size_t kRows = 4;                      // of a shard
constexpr std::int64_t kUpdates = 3;

std::vector<double> rows_of(std::size_t shard) {
    std::vector<double> out;
    for (std::size_t i = 0; i < kRows; ++i) {
        out.push_back(std::sin(1.0 + 3.7 * static_cast<double>(shard * kRows + i)) + 0.3 * static_cast<double>(shard));
    }
    return out;
}

std::vector<double> rows_of_all(std::size_t shards) {
    std::vector<double> out;
    for (std::size_t shard = 0; shard < shards; ++shard) {
        const std::vector<double> own = rows_of(shard);
        out.insert(out.end(), own.begin(), own.end());
    }
    return out;
}

// What a test adds to the graph: from the column y and an ensemble's parameter w, a value for the loss.
using Add = ValueId (*)(Sketch& sketch, ValueId y, ValueId w);

struct Process {
    Sketch sketch{2};
    Learner learner;
    Memory y = memory("y", DType::kF64, {}, {0.0});
    std::vector<StagePlan> stages{1};
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<Program> program;
    std::vector<double> metrics, controls;
    std::vector<double> norms{0};
    std::vector<double> losses{0};

    Process(Add add, bool compiled, Group* group, Leeway leeway_of_call = Leeway::kNone) : leeway(leeway_of_call) {
        const std::lock_guard lock(asserting);
        learner.real = DType::kF64;
        add_network(learner, "ensemble", {{.name = "w", .shape = {}, .values = {0.5, -0.8}}}, false, 2, true);
        add_network(learner, "a",
                    {{.name = "u", .shape = {}, .values = {0.4}},
                     {.name = "moment", .shape = {}, .values = {0.25}, .trainable = false}});
        stages[0].owned = {0, 1};
        stages[0].optimiser.rule = SgdPlan{.lr = 0, .momentum = 1, .dampening = 2, .weight_decay = 3};
        for (Network& network : learner.networks) {
            REQUIRE(begin_optimiser(network, learner.real, stages[0].optimiser).has_value());
        }
        const ValueId in_y = sketch.column("y", Type{Kind::kReal, {graph::kRows}});
        sketch.stage("all", {"ensemble", "a"});
        const ValueId w = sketch.parameter("ensemble", "w", Type{Kind::kReal, {kMembers}});
        const ValueId u = sketch.parameter("a", "u", Type{});
        const ValueId value = add(sketch, in_y, w);
        const ValueId error = sketch.add("square", {sketch.add("sub", {sketch.add("mul", {w, u}), in_y})});
        sketch.loss("error", 0, sketch.add("mul", {error, sketch.add("stop_gradient", {value})}));
        metrics.resize(sketch.graph.metrics.size());
        controls.resize(sketch.graph.controls.size());
        executor_ = compiled ? compiled::make_executor(test::executor(DType::kF64)) : test::executor(DType::kF64);
        if (group != nullptr) {
            executor_ = make_shared_executor(std::move(executor_), *group);
        }
        const ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {y.port}, .outputs = {}, .seed = 0};
        auto made = executor_->update(spec, stages, learner);
        said = made ? "" : made.error().sentence;
        program = made ? std::move(*made) : nullptr;
    }

    Status run(const std::vector<double>& rows, std::int64_t number, Exchange* exchange, StepPart part = {}) {
        const std::vector<const void*> inputs{rows.data()};
        const Call call{
            .sizes = {.rows = static_cast<std::int64_t>(rows.size())},
            .inputs = inputs,
            .numbers = {.live = kLive, .updates = static_cast<double>(number)},
            .part = part,
            .leeway = leeway,
            .results = {.losses = losses, .metrics = metrics, .gradient_norms = norms, .controls = controls},
            .exchange = exchange};
        const Result<Computed*> done = program->run(call);
        left_out = done && (*done)->left_out() != nullptr;
        return done ? Status() : Status(done.error());
    }

    [[nodiscard]] std::vector<double> numbers() const {
        const std::lock_guard lock(asserting);
        std::vector<double> out = read(learner, learner.networks[0], learner.networks[0].live, "w");
        for (const char* const name : {"u", "moment"}) {
            out.push_back(read(learner, learner.networks[1], learner.networks[1].live, name)[0]);
        }
        for (const std::vector<double>* const more : {&metrics, &controls}) {
            out.insert(out.end(), more->begin(), more->end());
        }
        return out;
    }

    Leeway leeway;
    std::string said;
    bool left_out = false;
};

// After some updates, of each shard; the last one is the process that has all rows.
std::vector<std::vector<double>> after_updates(Add add, bool compiled, std::size_t shards) {
    std::vector<std::vector<double>> out(shards + 1);
    Process whole(add, compiled, nullptr);
    REQUIRE(whole.said == "");
    for (std::int64_t update = 0; update < kUpdates; ++update) {
        REQUIRE(whole.run(rows_of_all(shards), update, nullptr));
    }
    out.back() = whole.numbers();
    std::vector<std::string> said(shards);
    in_whole_group(shards, [&](Group& group) {
        Process own(add, compiled, &group);
        said[group.rank()] = own.said;
        for (std::int64_t update = 0; update < kUpdates && own.program != nullptr; ++update) {
            const Status done = own.run(rows_of(group.rank()), update, &group);
            if (!done) {
                said[group.rank()] = done.error().sentence;
                group.leave(&done.error());
                return;
            }
        }
        out[group.rank()] = own.numbers();
    });
    CHECK(said == std::vector<std::string>(shards));
    return out;
}

void check(Add add) {
    for (const bool compiled : {true, false}) {
        for (const std::size_t shards : {2U, 3U}) {
            CAPTURE(compiled, shards);
            const std::vector<std::vector<double>> found = after_updates(add, compiled, shards);
            for (std::size_t shard = 0; shard < shards; ++shard) {
                CHECK(found[shard] == found[0]);
                REQUIRE(found[shard].size() == found[shards].size());
                for (std::size_t i = 0; i < found[shard].size(); ++i) {
                    CAPTURE(shard, i);
                    CHECK(std::abs(found[shard][i] - found[shards][i]) <=
                          1e-12 * std::max(1.0, std::abs(found[shards][i])));
                }
            }
        }
    }
}

// The op of y, and of an ensemble's values, one for each member.
ValueId both(Sketch& sketch, ValueId y, ValueId w, const char* op,
             const std::vector<graph::Attribute>& attributes = {}) {
    const ValueId one = sketch.add(op, {sketch.add("square", {y})}, attributes);
    const ValueId members = sketch.add("mul", {sketch.add("stop_gradient", {w}), y});
    const ValueId each = sketch.add(op, {members}, attributes);
    sketch.graph.metrics.push_back({"one", one});
    sketch.graph.metrics.push_back({"each", each});
    return sketch.add("add", {one, each});
}

}  // namespace

TEST_CASE("values of all rows are those of all shards, whatever the executor: sum, mean, deviation, count, quantile") {
    check([](Sketch& s, ValueId y, ValueId w) { return both(s, y, w, "batch_sum"); });
    check([](Sketch& s, ValueId y, ValueId w) { return both(s, y, w, "batch_mean"); });
    check([](Sketch& s, ValueId y, ValueId w) { return both(s, y, w, "batch_std"); });
    check([](Sketch& s, ValueId y, ValueId w) { return both(s, y, w, "batch_count"); });
    check([](Sketch& s, ValueId y, ValueId w) { return both(s, y, w, "batch_quantile", {{"q", 0.7}}); });
}

TEST_CASE("a value of all rows may depend on another one") {
    check([](Sketch& s, ValueId y, ValueId /*w*/) {
        const ValueId mean = s.add("batch_mean", {y});
        const ValueId value = s.add("div", {s.add("sub", {y, mean}), s.add("batch_std", {y})});
        s.graph.metrics.push_back({"spread", s.add("batch_mean", {s.add("abs", {value})})});
        return value;
    });
}

TEST_CASE("states of values of all rows are alike, and moving averages of own rows are averaged") {
    check([](Sketch& s, ValueId y, ValueId /*w*/) {
        const ValueId before =
            s.special("state", {{"role", std::string("a")}, {"name", std::string("moment")}}, Type{});
        const ValueId mean = s.add("mean_rows", {y});
        s.graph.state_writes.push_back({"a/moment", s.add("add", {before, mean})});
        return s.add("add", {before, s.constant(1)});
    });
}

TEST_CASE("controls are decided by the rows of all shards, and none steps if they skip") {
    check([](Sketch& s, ValueId y, ValueId /*w*/) {
        const ValueId far = s.add("gt", {s.add("batch_mean", {y}), s.constant(0.2)});
        s.graph.controls.push_back({"skip_update", far});
        s.graph.controls.push_back({"stop_epochs", far});
        return s.constant(1);
    });
}

namespace {

ValueId normalised(Sketch& s, ValueId y, ValueId /*w*/) {
    return s.add("div", {s.add("sub", {y, s.add("batch_mean", {y})}), s.add("batch_std", {y})});
}

}  // namespace

TEST_CASE("a minibatch of a value that is not finite in one shard is left out by all") {
    std::vector<int> left_out(2);
    std::vector<std::vector<double>> numbers(2);
    in_whole_group(2, [&](Group& group) {
        Process own(normalised, true, &group, Leeway::kLeaveOut);
        std::vector<double> rows = rows_of(group.rank());
        rows[1] = group.rank() == 1 ? std::numeric_limits<double>::quiet_NaN() : rows[1];
        left_out[group.rank()] = own.run(rows, 0, &group) && own.left_out ? 1 : 0;
        numbers[group.rank()] = own.numbers();
    });
    CHECK(left_out == std::vector<int>{1, 1});
    CHECK(numbers[0] == numbers[1]);
    CHECK(numbers[0][0] == 0.5);  // nothing has stepped
}

TEST_CASE("each part of a step has values of its own, and a dry run tells nobody") {
    Process whole(normalised, true, nullptr);
    REQUIRE(whole.run(rows_of_all(2), 0, nullptr, {.first = true, .last = false}));
    REQUIRE(whole.run(rows_of(2), 0, nullptr, {.first = false, .last = true}));
    std::vector<std::vector<double>> numbers(2);
    in_whole_group(2, [&](Group& group) {
        Process own(normalised, true, &group);
        const std::vector<double> all = rows_of(2);
        const auto half = static_cast<std::ptrdiff_t>(group.rank() * kRows / 2);
        const std::vector<double> second(all.begin() + half, all.begin() + half + kRows / 2);
        bool done = group.rank() == 1 || own.run(all, 0, &group, {.mode = StepMode::kDryGradients});
        done = done && own.run(rows_of(group.rank()), 0, &group, {.first = true, .last = false});
        done = done && own.run(second, 0, &group, {.first = false, .last = true});
        numbers[group.rank()] = done ? own.numbers() : std::vector<double>();
    });
    CHECK(numbers[0] == numbers[1]);
    REQUIRE(numbers[0].size() == whole.numbers().size());
    for (std::size_t i = 0; i < numbers[0].size(); ++i) {
        CHECK(std::abs(numbers[0][i] - whole.numbers()[i]) <= 1e-12);
    }
}

TEST_CASE("a shard that ends between two phases ends the others with its sentence") {
    std::string said;
    in_group(2, [&](Group& group) {
        if (group.rank() == 1) {
            std::vector<double> numbers(5);  // the phase of the values: a mean, and two moments of each shard
            ExchangeHead head{.numbers = numbers};
            static_cast<void>(group.sum(head, {}, DType::kF64));
            return;
        }
        Process own(normalised, true, &group);
        const Status done = own.run(rows_of(0), 0, &group);
        said = done ? "" : done.error().sentence;
    });
    CHECK(said == "shard 1 of 2 has ended or cannot be reached any more");
}

TEST_CASE("shards whose values differ in number come apart with a sentence") {
    std::string said;
    in_whole_group(2, [&](Group& group) {
        std::vector<double> numbers(1 + group.rank());
        ExchangeHead head{.numbers = numbers};
        const Status done = group.sum(head, {}, DType::kF64);
        if (group.rank() == 0) {
            said = done ? "" : done.error().sentence;
        }
    });
    CHECK(said ==
          "the shards have come apart: shard 1 of 2 sent 32 bytes with its gradients, and shard 0 of 2 "
          "(thread 0) expected 24");
}

TEST_CASE("shards exchange values that depend on rows, and are read for more than their shape") {
    Sketch s;
    const Type rows{Kind::kReal, {graph::kRows}};
    const ValueId y = s.column("y", rows);
    const ValueId u = s.parameter("a", "u", Type{});
    const ValueId shape = s.add("batch_mean", {y});
    const ValueId drawn = s.special("random_uniform", {{"stream", std::string("of all")}}, Type{}, {shape});
    const ValueId of_rows = s.special("random_uniform", {{"stream", std::string("of rows")}}, rows, {y});
    const ValueId mean = s.add("batch_mean", {s.add("mul", {of_rows, u})});
    s.graph.metrics.push_back({"both", s.add("mul", {drawn, mean})});
    const OverShards over = over_shards(s.graph);
    CHECK(over.together == std::vector<graph::NodeId>{s.graph.values[mean].node});
    CHECK(over.alike[u]);
    CHECK(over.alike[drawn]);
    CHECK(over.alike[mean]);
    CHECK_FALSE(over.alike[y]);
    CHECK_FALSE(over.alike[of_rows]);
}

TEST_CASE("what a scan carries is alike in all shards if each step keeps it so") {
    for (const bool keeps : {true, false}) {
        Sketch s;
        const ValueId x = s.column("x", Type{Kind::kReal, {graph::kTime, graph::kRows}});
        const ValueId u = s.parameter("a", "u", Type{});
        graph::Region region;
        region.scan = true;
        region.carries = 1;
        region.arguments = {u, x};
        s.graph.regions.push_back(region);
        s.region = 1;
        const auto argument = [&](std::int64_t number, Type type) {
            return s.special("argument", {{"number", number}, {"region", std::int64_t{1}}}, std::move(type));
        };
        const ValueId carried = argument(0, Type{});
        const ValueId step = argument(1, Type{Kind::kReal, {graph::kRows}});
        const ValueId mean = s.add("batch_mean", {step});
        const ValueId next = s.add("add", {carried, keeps ? s.constant(0.5) : mean});
        s.region = 0;
        s.graph.regions[1].inputs = {carried, step};
        s.graph.regions[1].results = {next};
        const ValueId out = s.special("scan", {{"region", std::int64_t{1}}}, Type{Kind::kReal, {graph::kTime}}, {u, x});
        s.graph.metrics.push_back({"last", out});
        const OverShards over = over_shards(s.graph);
        CHECK(over.alike[carried] == keeps);
        CHECK(over.alike[out] == keeps);
        CHECK(over.together.empty());
        CHECK(over.in_scans.size() == (keeps ? 0U : 1U));  // a mean of each step, which shards cannot exchange
    }
}

}  // namespace shared_values_test
