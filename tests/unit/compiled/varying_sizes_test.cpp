// SPDX-License-Identifier: Apache-2.0
// Programs whose batch has another size each time: the bits of a program made for just that size, and few programs.
#include "engines/compiled/varying_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "engines/compiled/program.hpp"
#include "examples.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace varying_sizes_test {

using namespace tenon;
using namespace tenon::test;
using graph::kLanes;
using graph::kRows;
using graph::kTime;

namespace {

constexpr std::int64_t kMost = 700;  // rows
constexpr std::int64_t kWidth = 3;
const std::vector<double> kLive{0.0, 0.9, 0.999, 1e-8, 0.0};  // a step that moves nothing

// A graph with networks, columns of so many rows as any of its runs has, and what it writes.
struct Varied {
    Sketch sketch{2};
    Learner learner;
    std::vector<Memory> columns;
    std::vector<StagePlan> stages;
    std::vector<Dim> leading;
    Varying varying;

    Varied(DType real, std::vector<Dim> dims) : leading(std::move(dims)) {
        learner.real = real;
        add_network(learner, "ensemble",
                    {{.name = "w", .shape = {4, kWidth}, .values = random_values("w", 2 * 4 * kWidth)}}, false, 2,
                    true);
        add_network(learner, "net",
                    {{.name = "v", .shape = {4, 4}, .values = random_values("v", 16)},
                     {.name = "b", .shape = {4}, .values = random_values("b", 4)}});
    }

    ValueId column(
        const std::string& key, Kind kind, std::vector<std::int64_t> row, DType stored,
        const std::function<double(double)>& made = [](double x) { return x; }) {
        std::size_t count = kMost;
        Type type{kind, leading};
        for (const std::int64_t size : row) {
            count *= static_cast<std::size_t>(size);
            type.dims.push_back(size);
        }
        std::vector<double> values = random_values(key, count);
        std::ranges::transform(values, values.begin(), made);
        columns.push_back(memory(key, stored, std::move(row), values));
        return sketch.column(key, type);
    }

    ValueId weight() { return sketch.parameter("ensemble", "w", Type{Kind::kReal, {kMembers, 4, kWidth}}); }
    ValueId square() { return sketch.parameter("net", "v", Type{Kind::kReal, {4, 4}}); }
    ValueId bias() { return sketch.parameter("net", "b", Type{Kind::kReal, {4}}); }

    void learn(ValueId value) {
        sketch.loss("loss", sketch.stage("update", {"ensemble", "net"}), value);
        stages = {plan_of({0, 1})};
    }

    [[nodiscard]] ProgramSpec spec() const {
        ProgramSpec out{.name = "varied", .graph = &sketch.graph, .inputs = {}, .outputs = {}, .seed = 4};
        out.varying = varying;
        for (const Memory& each : columns) {
            out.inputs.push_back(each.port);
        }
        for (const graph::Named& write : sketch.graph.writes) {
            const Type& type = sketch.graph.type(write.value);
            out.outputs.push_back(
                {write.name, type.kind == Kind::kInt ? DType::kI64 : learner.real, Shape(type.sizes())});
        }
        return out;
    }

    std::unique_ptr<Program> program(const std::filesystem::path& dump = {}) {
        auto by = executor(learner.real);
        auto reference = stages.empty() ? by->forward(spec(), learner) : by->update(spec(), stages, learner);
        INFO((reference ? std::string{} : reference.error().sentence));
        REQUIRE(reference.has_value());
        auto made = compiled::make_program(spec(), stages, learner, std::move(*reference), {.dump = dump});
        REQUIRE(made.has_value());
        return std::move(*made);
    }

    // All that it gives: losses, metrics, gradients, what it writes.
    std::vector<double> run(Program& program, const Sizes& sizes) {
        std::vector<const void*> inputs;
        for (const Memory& each : columns) {
            inputs.push_back(each.data());
        }
        const ProgramSpec made = spec();
        std::vector<Memory> results;
        std::vector<void*> outputs;
        for (const Port& port : made.outputs) {
            const auto width = static_cast<std::size_t>(port.row.elements());
            results.push_back(memory(port.key, port.dtype, {port.row.extents().begin(), port.row.extents().end()},
                                     std::vector<double>(kMost * width, 5)));
        }
        for (Memory& each : results) {
            outputs.push_back(each.data());
        }
        std::vector<double> losses(sketch.graph.losses.size());
        std::vector<double> metrics(sketch.graph.metrics.size());
        Call call{.sizes = sizes,
                  .inputs = inputs,
                  .outputs = outputs,
                  .numbers = {.live = kLive},
                  .random = {.counter = 3},
                  .results = {.losses = losses, .metrics = metrics}};
        const Result<Computed*> done = program.run(call);
        INFO((done ? std::string{} : done.error().sentence));
        REQUIRE(done.has_value());
        std::vector<double> out = losses;
        out.insert(out.end(), metrics.begin(), metrics.end());
        for (const Network& network : learner.networks) {
            for (const Parameter& parameter : network.layout.parameters) {
                const std::vector<double> values = read(learner, network, network.gradient, parameter.name);
                out.insert(out.end(), values.begin(), values.end());
            }
        }
        for (const Memory& each : results) {
            const std::vector<double> values = each.values();
            out.insert(out.end(), values.begin(), values.end());
        }
        return out;
    }
};

// Everything that goes by the number of rows: means, deviations, products over them, draws, weights of rows.
Varied over_rows(DType real) {
    Varied v(real, {kRows});
    Sketch& g = v.sketch;
    const ValueId x = v.column("x", Kind::kReal, {kWidth}, DType::kF32);
    const ValueId chosen = v.column("action", Kind::kInt, {}, DType::kI64,
                                    [](double each) { return std::floor(std::clamp(each + 2, 0.0, 3.0)); });
    v.column("weight", Kind::kReal, {}, real, [](double each) { return std::abs(each); });
    v.column("mask", Kind::kBool, {}, DType::kBool, [](double each) { return each > -1 ? 1.0 : 0.0; });
    const ValueId size = g.add("mean", {x}, {{"axis", std::int64_t{-1}}});
    const ValueId centred = g.add("sub", {x, g.add("batch_mean", {size})});
    const ValueId scaled = g.add("div", {centred, g.add("add", {g.add("batch_std", {size}), g.constant(0.1)})});
    const ValueId hidden = g.add("tanh", {g.add("linear", {scaled, v.weight()})});
    const ValueId noise =
        g.special("random_normal", {{"stream", std::string("noise")}}, g.graph.type(hidden), {hidden});
    const ValueId shaken = g.add("add", {hidden, g.add("mul", {noise, g.constant(0.01)})});
    const ValueId out = g.add("relu", {g.add("linear", {shaken, v.square(), v.bias()})});
    const ValueId likely = g.add("gather", {g.add("log_softmax", {out}), chosen});
    const ValueId most = g.add("min_members", {likely});
    g.graph.metrics.push_back({"rows", g.add("batch_count", {likely})});
    g.graph.metrics.push_back({"spread", g.add("batch_std", {likely})});
    v.learn(g.add("mul", {most, g.add("batch_mean", {g.add("square", {likely})})}));
    return v;
}

// Values of steps and of next steps, sums over time, and what is written of each step.
Varied over_steps(DType real) {
    Varied v(real, {kTime, kLanes});
    Sketch& g = v.sketch;
    const ValueId now = v.column("x", Kind::kReal, {kWidth}, real);
    const ValueId next = v.column("next.x", Kind::kReal, {kWidth}, real);
    const ValueId weight = v.weight();
    const ValueId square = v.square();
    const auto value = [&](ValueId x) {
        return g.add(
            "sum", {g.add("linear", {g.add("mean_members", {g.add("tanh", {g.add("linear", {x, weight})})}), square})},
            {{"axis", std::int64_t{-1}}});
    };
    const ValueId next_value = value(next);
    const ValueId here = value(now);
    const ValueId decay = g.add("sigmoid", {next_value});
    const ValueId sums = g.add("scan_linear", {decay, here}, {{"reverse", std::int64_t{1}}});
    g.write("sums", sums);
    g.write("centred", g.add("div", {g.add("sub", {sums, g.add("batch_mean", {sums})}), g.add("batch_std", {sums})}));
    g.write("before", g.add("shift_time", {here}, {{"by", std::int64_t{1}}}));
    g.graph.metrics.push_back({"sums", g.add("batch_mean", {sums})});
    return v;
}

// A deviation of one row is 0, and what is divided by it no number.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void check_sizes(Varied v, const std::vector<Sizes>& all, const Varying& varying = {}) {
    v.varying = varying;
    const std::unique_ptr<Program> lasting = v.program();
    v.varying = {};
    for (const Sizes& sizes : all) {
        CAPTURE(sizes.rows, sizes.time, sizes.lanes);
        const std::vector<double> have = v.run(*lasting, sizes);
        const std::unique_ptr<Program> exact = v.program();
        const std::vector<double> want = v.run(*exact, sizes);
        CHECK(same_bits(have, want));
    }
}

std::vector<Sizes> scattered(std::int64_t Sizes::* along, Sizes others, std::int64_t from, std::int64_t to) {
    std::vector<Sizes> out;
    for (std::int64_t i = 0; i < 40; ++i) {
        out.push_back(others);
        out.back().*along = from + i * 37 * (to - from) / 61 % (to - from + 1);
    }
    return out;
}

}  // namespace

TEST_CASE("a program for many numbers of rows gives the bits of one for each") {
    for (const DType real : {DType::kF32, DType::kF64}) {
        check_sizes(over_rows(real), scattered(&Sizes::rows, {}, 1, kMost));
        check_sizes(over_rows(real), scattered(&Sizes::rows, {}, 60, 70));
    }
}

TEST_CASE("a program for many numbers of steps gives the bits of one for each, and so does one for many lanes") {
    for (const DType real : {DType::kF32, DType::kF64}) {
        for (const std::int64_t lanes : {1, 3, 16}) {
            check_sizes(over_steps(real), scattered(&Sizes::time, {.lanes = lanes}, 1, kMost / lanes));
        }
        check_sizes(over_steps(real), scattered(&Sizes::lanes, {.time = 9}, 1, kMost / 9));
    }
}

TEST_CASE("however many sizes there are, a program is made for few of them") {
    for (const bool steps : {false, true}) {
        const ScratchFolder dumps;
        Varied v = steps ? over_steps(DType::kF32) : over_rows(DType::kF32);
        const std::unique_ptr<Program> program = v.program(dumps.path());
        std::set<std::int64_t> seen;
        for (int round = 0; round < 300; ++round) {
            const std::int64_t size = steps ? 8 + round * 7 % 80 : 16 + round * 97 % 640;
            v.run(*program, steps ? Sizes{.time = size, .lanes = 8} : Sizes{.rows = size});
            seen.insert(size);
        }
        CHECK(seen.size() >= 80);
        std::size_t made = 0;
        for (const auto& file : std::filesystem::directory_iterator(dumps.path())) {
            made += file.path().extension() == ".txt" ? 1U : 0U;
        }
        CHECK(made <= 3 + 6);  // for the first sizes, and from 2^4, 2^5, .. 2^9 rows on
    }
}

TEST_CASE("a program whose sizes have a limit is made once, and has the bits of one for each size") {
    for (const bool steps : {false, true}) {
        CAPTURE(steps);
        const auto size = steps ? &Sizes::time : &Sizes::rows;
        const Sizes others{.lanes = steps ? 16 : 0};
        const Varying varying{.size = size, .most = steps ? kMost / 16 : kMost};
        const std::vector<Sizes> all = scattered(size, others, steps ? 2 : 16, varying.most);
        for (const DType real : {DType::kF32, DType::kF64}) {
            check_sizes(steps ? over_steps(real) : over_rows(real), all, varying);
        }
        const ScratchFolder dumps;
        Varied v = steps ? over_steps(DType::kF32) : over_rows(DType::kF32);
        v.varying = varying;
        const std::unique_ptr<Program> program = v.program(dumps.path());
        for (const Sizes& sizes : all) {
            v.run(*program, sizes);
        }
        const auto made = std::ranges::count_if(std::filesystem::directory_iterator(dumps.path()),
                                                [](const auto& file) { return file.path().extension() == ".txt"; });
        CHECK(made == 1);
    }
}

TEST_CASE("sizes that stay the same are not taken to vary") {
    CHECK(compiled::span_around({.rows = 100}, {.rows = 100}).along == nullptr);
    CHECK(compiled::span_around({.time = 10, .lanes = 8}, {.time = 9, .lanes = 7}).along == nullptr);
    CHECK(compiled::span_around({.rows = 15}, {.rows = 100}).along == nullptr);  // few
    CHECK(compiled::span_around({.time = 1, .lanes = 16}, {.time = 3, .lanes = 16}).along == nullptr);
    const compiled::Span rows = compiled::span_around({.rows = 100}, {.rows = 99});
    CHECK(rows == compiled::Span{.along = &Sizes::rows, .smallest = 64, .largest = 127});
    const compiled::Span steps = compiled::span_around({.time = 10, .lanes = 12}, {.time = 11, .lanes = 12});
    CHECK(steps == compiled::Span{.along = &Sizes::time, .smallest = 6, .largest = 10});
}

}  // namespace varying_sizes_test
