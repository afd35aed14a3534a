// SPDX-License-Identifier: Apache-2.0
// Attention and its gradient: the kernel, the same as products, and the reference executor against torch's numbers
// (tests/golden/attention.txt), finite differences, and any number of threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread/pool.hpp"
#include "compute/gradient/gradients.hpp"
#include "engines/compiled/graph_rewrites.hpp"
#include "engines/compiled/program.hpp"
#include "examples.hpp"
#include "support/catch.hpp"
#include "unit/objectives/golden.hpp"

namespace attention_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::int64_t kRows = 2;

// The formulas of the golden file's generator.
std::vector<double> wave(double k, std::int64_t count) {
    std::vector<double> out;
    for (std::int64_t at = 0; at < count; ++at) {
        const auto i = static_cast<double>(at);
        out.push_back(std::sin(0.3 * (k + 1) + 0.37 * i + 0.0029 * i * i));
    }
    return out;
}

struct Attended {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t heads = 1;
    std::int64_t width = 0;
    std::int64_t value_width = 0;
    std::int64_t causal = 0;
    std::int64_t window = 0;
    bool mask = false;
    bool first = false;

    explicit Attended(const GoldenCase& golden)
        : mask(golden.name.starts_with("mask")), first(golden.name == "first" || golden.name == "one_query") {
        std::int64_t* const numbers[] = {&queries, &keys, &heads, &width, &value_width, &causal, &window};
        for (std::size_t i = 0; i < std::size(numbers); ++i) {
            *numbers[i] = static_cast<std::int64_t>(golden["sizes"].at(i));
        }
    }
};

ExampleTensor rows_of(double k, std::int64_t rows, std::int64_t width) {
    return {.kind = Kind::kReal,
            .dims = "B..",
            .shape = {kRows, rows, width},
            .reals = wave(k, kRows * rows * width),
            .integers = {}};
}

ExampleTensor which_of(const Attended& of) {
    if (of.first) {
        ExampleTensor out{.kind = Kind::kInt, .dims = "B.", .shape = {kRows, of.queries}, .reals = {}, .integers = {}};
        for (std::int64_t i = 0; i < kRows * of.queries; ++i) {
            out.integers.push_back(5 * i % (of.keys / 2));
        }
        return out;
    }
    ExampleTensor out{
        .kind = Kind::kBool, .dims = "B..", .shape = {kRows, of.queries, of.keys}, .reals = {}, .integers = {}};
    for (std::int64_t i = 0; i < kRows * of.queries * of.keys; ++i) {
        out.reals.push_back((7 * i + i / 3) % 4 != 0 && i / of.keys % of.queries != 1 ? 1 : 0);
    }
    return out;
}

std::vector<graph::Attribute> attributes_of(const Attended& of) {
    return {{"causal", of.causal}, {"heads", of.heads}, {"scale", 0.0}, {"window", of.window}};
}

Example forward_of(const Attended& of) {
    Example out{.op = "attention",
                .revision = 1,
                .inputs = {rows_of(0, of.queries, of.heads * of.width), rows_of(1, of.keys, of.heads * of.width),
                           rows_of(2, of.keys, of.heads * of.value_width)},
                .attributes = attributes_of(of),
                .out = rows_of(3, of.queries, of.heads * of.value_width),  // of this shape
                .gradients = {}};
    if (of.mask || of.first) {
        out.inputs.push_back(which_of(of));
    }
    return out;
}

Example gradient_of(const Attended& of) {
    Example out = forward_of(of);
    out.op = "attention_gradient";
    out.inputs.insert(out.inputs.begin(), rows_of(3, of.queries, of.heads * of.value_width));
    out.attributes.push_back({"wanted", std::int64_t{7}});
    const std::int64_t elements = of.heads * ((of.queries + of.keys) * of.width + of.keys * of.value_width);
    out.out = {.kind = Kind::kReal,
               .dims = "..",
               .shape = {kRows, elements},
               .reals = std::vector<double>(static_cast<std::size_t>(kRows * elements)),
               .integers = {}};
    return out;
}

MakeForward referring(DType real) {
    return [real](const ProgramSpec& spec, Learner& learner) {
        auto made = executor(real)->forward(spec, learner);
        REQUIRE(made.has_value());
        return std::move(*made);
    };
}

MakeForward compiling(DType real, Pool* pool = nullptr) {
    return [real, pool](const ProgramSpec& spec, Learner& learner) {
        auto reference = executor(real)->forward(spec, learner);
        REQUIRE(reference.has_value());
        auto made = compiled::make_program(spec, {}, learner, std::move(*reference), {.pool = pool});
        REQUIRE(made.has_value());
        return std::move(*made);
    };
}

// With products in place of the op.
MakeForward compiling_plain(DType real, std::shared_ptr<graph::Graph> plain) {
    return [real, plain](const ProgramSpec& spec, Learner& learner) {
        *plain = compiled::with_plain_attention(*spec.graph);
        REQUIRE(std::ranges::none_of(plain->nodes,
                                     [](const graph::Node& node) { return node.is(graph::OpId::kAttention_1); }));
        ProgramSpec other = spec;
        other.graph = plain.get();
        return compiling(real)(other, learner);
    };
}

std::vector<double> values_of(const Example& example, DType real, const MakeForward& make) {
    auto [values, refused] = evaluate(example, real, make);
    REQUIRE(refused == "");
    return values;
}

// The sum weighed by cosines, the norm, the first and the last element, as the golden file has them.
void check_list(const std::vector<double>& have, const std::vector<double>& want, double tolerance) {
    double weighed = 0;
    double squares = 0;
    for (std::size_t i = 0; i < have.size(); ++i) {
        weighed += have[i] * std::cos(0.61 * static_cast<double>(i));
        squares += have[i] * have[i];
    }
    const double norm = std::sqrt(squares);
    CHECK(std::abs(weighed - want.at(0)) <= tolerance * std::max(1.0, want.at(1)));
    CHECK(std::abs(norm - want.at(1)) <= tolerance * std::max(1.0, want.at(1)));
    CHECK(std::abs(have.front() - want.at(2)) <= tolerance);
    CHECK(std::abs(have.back() - want.at(3)) <= tolerance);
}

void check_gradients(const Attended& of, const std::vector<double>& have, const GoldenCase& golden, double tolerance) {
    const std::int64_t each[] = {of.queries * of.heads * of.width, of.keys * of.heads * of.width,
                                 of.keys * of.heads * of.value_width};
    const char* const names[] = {"query", "key", "value"};
    const std::int64_t row = each[0] + each[1] + each[2];
    std::int64_t start = 0;
    for (std::size_t part = 0; part < 3; ++part) {
        CAPTURE(names[part]);
        std::vector<double> list;
        for (std::int64_t i = 0; i < kRows; ++i) {
            const auto from = have.begin() + i * row + start;
            list.insert(list.end(), from, from + each[part]);
        }
        check_list(list, golden[std::string("gradient.") + names[part]], tolerance);
        start += each[part];
    }
}

// A row of each step attends to the windows of a history: the rows that count, up to its own.
struct OverTime {
    static constexpr std::int64_t kSteps = 37;
    static constexpr std::int64_t kLanes = 3;
    static constexpr std::int64_t kWindow = 9;
    static constexpr std::int64_t kHeads = 2;
    static constexpr std::int64_t kWidth = 5;

    Sketch sketch;
    Learner learner;
    std::vector<Memory> columns;
    ValueId out = 0;
    std::vector<ValueId> gradients;

    // `directly`: the attention reads the windows of all rows, which the host sees to.
    OverTime(DType real, bool directly) {
        learner.real = real;
        sketch.column("no_rows", Type{});
        columns.push_back(memory("no_rows", real, {}, {0.0}));
        columns.push_back(memory("first", DType::kI64, {}, {}));
        for (std::int64_t i = 0; i < kSteps * kLanes; ++i) {
            columns.back().i64.push_back(std::max<std::int64_t>(kWindow - 1 - i % 13, 0));
        }
        const std::int64_t row = kHeads * kWidth;
        const auto given = [&](const char* name, Type type, double k) {
            std::vector<std::int64_t> shape;
            std::int64_t count = 1;
            for (const graph::Dim dim : type.dims) {
                shape.push_back(dim == graph::kTime ? kSteps : dim == graph::kLanes ? kLanes : dim);
                count *= shape.back();
            }
            given_.push_back({.name = name, .shape = shape, .values = wave(k, count), .trainable = true});
            return sketch.parameter("inputs", name, std::move(type));
        };
        const ValueId query = given("query", {Kind::kReal, {graph::kTime, graph::kLanes, 1, row}}, 0);
        const ValueId keys = given("keys", {Kind::kReal, {graph::kTime, graph::kLanes, row}}, 1);
        const ValueId values = given("values", {Kind::kReal, {graph::kTime, graph::kLanes, row}}, 2);
        const ValueId early_keys = given("early_keys", {Kind::kReal, {graph::kLanes, kWindow - 1, row}}, 3);
        const ValueId early_values = given("early_values", {Kind::kReal, {graph::kLanes, kWindow - 1, row}}, 4);
        const ValueId weight = given("weight", {Kind::kReal, {graph::kTime, graph::kLanes, 1, row}}, 5);
        const ValueId numbers = given("numbers", {Kind::kReal, {kWindow}}, 0);
        for (std::size_t i = 0; i < kWindow; ++i) {
            given_.back().values[i] = static_cast<double>(i);
        }
        add_network(learner, "inputs", given_);
        const std::vector<graph::Attribute> last{{"axis", std::int64_t{-1}}};
        const ValueId first = sketch.column("first", {Kind::kInt, {graph::kTime, graph::kLanes}});
        const ValueId counts = sketch.add("ge", {numbers, sketch.add("unsqueeze", {first}, last)});
        const ValueId present = sketch.add("unsqueeze", {counts}, last);
        const auto history = [&](ValueId rows, ValueId before) {
            const ValueId windows =
                sketch.add("windows", {rows, before}, {{"axis", std::int64_t{-2}}, {"window", kWindow}});
            return sketch.add("where", {present, windows, sketch.constant(0)});
        };
        out = sketch.add("attention", {query, history(keys, early_keys), history(values, early_values), first},
                         {{"causal", std::int64_t{0}}, {"heads", kHeads}, {"scale", 0.0}, {"window", std::int64_t{0}}});
        const ValueId total = sketch.add("sum_like", {sketch.add("mul", {out, weight}), sketch.constant(0)});
        sketch.graph = directly ? compiled::with_attended_windows(sketch.graph) : sketch.graph;
        graph::Extension extension(sketch.graph);
        auto found = graph::add_gradients(extension, total, {query, keys, values});
        REQUIRE(found.has_value());
        gradients = std::move(*found);
    }

    [[nodiscard]] std::ptrdiff_t count(graph::OpId op) const {
        return std::ranges::count_if(sketch.graph.nodes, [&](const graph::Node& node) { return node.is(op); });
    }

    // The result and its gradients by query, keys and values.
    std::vector<std::vector<double>> computed(const MakeForward& make) {
        ProgramSpec spec{.name = "over_time", .graph = &sketch.graph, .inputs = {}, .outputs = {}, .seed = 0};
        std::vector<const void*> inputs;
        for (const Memory& column : columns) {
            spec.inputs.push_back(column.port);
            inputs.push_back(column.data());
        }
        std::vector<ValueId> results = gradients;
        results.insert(results.begin(), out);
        std::vector<Memory> memories;
        for (const ValueId result : results) {
            const auto sizes = sketch.graph.type(result).sizes();
            const auto elements = static_cast<std::size_t>(kSteps * kLanes * kHeads * kWidth);
            memories.push_back(memory("out" + std::to_string(memories.size()), learner.real,
                                      {sizes.begin(), sizes.end()}, std::vector<double>(elements, 77.0)));
            sketch.write(memories.back().port.key, result);
            spec.outputs.push_back(memories.back().port);
        }
        const std::unique_ptr<Program> program = make(spec, learner);
        std::vector<void*> outputs;
        for (Memory& each : memories) {
            outputs.push_back(each.data());
        }
        const Result<Computed*> done =
            program->run({.sizes = {.time = kSteps, .lanes = kLanes}, .inputs = inputs, .outputs = outputs});
        INFO((done ? std::string{} : done.error().sentence));
        REQUIRE(done.has_value());
        std::vector<std::vector<double>> all;
        for (const Memory& each : memories) {
            all.push_back(each.values());
        }
        return all;
    }

private:
    std::vector<Given> given_;
};

}  // namespace

TEST_CASE("attention over a history's windows and its gradient are those of the windows one by one") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        OverTime by_window(real, false);
        OverTime over_time(real, true);
        CHECK(by_window.count(graph::OpId::kSumWindows_1) == 2);
        CHECK(over_time.count(graph::OpId::kSumWindows_1) == 0);
        const auto want = by_window.computed(referring(real));
        for (const bool by_kernel : {true, false}) {
            OverTime again(real, true);
            const auto have = again.computed(by_kernel ? compiling(real) : referring(real));
            for (std::size_t i = 0; i < want.size(); ++i) {
                CAPTURE(real == DType::kF64, by_kernel, i);
                CHECK(worst_difference(have[i], want[i]) < (real == DType::kF64 ? 1e-12 : 1e-5));
            }
        }
    }
}

TEST_CASE("attention and its gradient are torch's") {
    const auto plain = std::make_shared<graph::Graph>();
    for (const GoldenCase& golden : read_golden("attention.txt")) {
        const Attended of(golden);
        for (const DType real : {DType::kF64, DType::kF32}) {
            const double tolerance = real == DType::kF64 ? 1e-12 : 5e-6;
            CAPTURE(golden.name, real == DType::kF64);
            check_list(values_of(forward_of(of), real, referring(real)), golden["out"], tolerance);
            check_list(values_of(forward_of(of), real, compiling(real)), golden["out"], tolerance);
            check_list(values_of(forward_of(of), real, compiling_plain(real, plain)), golden["out"], tolerance);
            check_gradients(of, values_of(gradient_of(of), real, referring(real)), golden, tolerance);
            check_gradients(of, values_of(gradient_of(of), real, compiling(real)), golden, tolerance);
        }
    }
}

TEST_CASE("the gradient of attention is the slope of its result") {
    const DType real = DType::kF64;
    constexpr double kStep = 1e-5;
    for (const char* name : {"heads", "mask_window", "first"}) {
        CAPTURE(name);
        const Attended of(golden_case("attention.txt", name));
        const Example example = forward_of(of);
        const std::vector<double> weight = wave(3, static_cast<std::int64_t>(example.out.reals.size()));
        const auto total = [&](const Example& at) {
            const std::vector<double> out = values_of(at, real, compiling(real));
            double sum = 0;
            for (std::size_t i = 0; i < out.size(); ++i) {
                sum += out[i] * weight[i];
            }
            return sum;
        };
        const std::vector<double> gradient = values_of(gradient_of(of), real, compiling(real));
        const std::size_t row = gradient.size() / kRows;
        std::size_t start = 0;
        for (std::size_t input = 0; input < 3; ++input) {
            const std::size_t each = example.inputs[input].reals.size() / kRows;
            for (std::size_t i = 3; i < example.inputs[input].reals.size(); i += each / 2 + 5) {
                Example more = example;
                Example less = example;
                more.inputs[input].reals[i] += kStep;
                less.inputs[input].reals[i] -= kStep;
                const double slope = (total(more) - total(less)) / (2 * kStep);
                CAPTURE(input, i, slope);
                CHECK(std::abs(gradient[i / each * row + start + i % each] - slope) < 1e-8);
            }
            start += each;
        }
    }
}

TEST_CASE("attention has the same bits for any number of threads") {
    for (const char* name : {"wide", "window", "mask"}) {
        const Attended of(golden_case("attention.txt", name));
        for (const Example& example : {forward_of(of), gradient_of(of)}) {
            const std::vector<double> alone = values_of(example, DType::kF32, compiling(DType::kF32));
            for (const std::uint32_t threads : {2U, 3U}) {
                Pool pool(threads);
                const std::vector<double> shared = values_of(example, DType::kF32, compiling(DType::kF32, &pool));
                CAPTURE(name, threads, std::string(example.op));
                CHECK(std::memcmp(alone.data(), shared.data(), alone.size() * sizeof(double)) == 0);
            }
        }
    }
}

}  // namespace attention_test
