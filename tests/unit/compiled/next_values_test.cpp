// SPDX-License-Identifier: Apache-2.0
// Values over next columns, most rows of which are those over the columns a step later.
#include "engines/compiled/next_values.hpp"

#include <algorithm>

#include "engines/compiled/program.hpp"
#include "examples.hpp"
#include "support/catch.hpp"

namespace next_values_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::int64_t kSteps = 21;
constexpr std::int64_t kLanesOf = 5;
constexpr std::int64_t kWidth = 3;
constexpr std::size_t kRowsOf = kSteps * kLanesOf;

// A network of two layers over observations and over next observations.
struct Values {
    Sketch sketch;
    Learner learner;
    ValueId hidden = 0;  // of the network over next observations
    ValueId now = 0;
    ValueId next = 0;

    explicit Values(DType real) {
        learner.real = real;
        const auto parameter = [&](const char* name, std::vector<std::int64_t> shape) {
            std::size_t count = 1;
            for (const std::int64_t size : shape) {
                count *= static_cast<std::size_t>(size);
            }
            return Given{name, std::move(shape), random_values(name, count)};
        };
        add_network(learner, "value", {parameter("w", {8, kWidth}), parameter("b", {8}), parameter("out", {2, 8})});
        now = over("observation");
        next = over("next.observation");
        hidden = sketch.graph.node_of(next).inputs[0];
    }

    ValueId column(const std::string& key) {
        const ValueId have = find("column", "key", key);
        return have != 0 ? have : sketch.column(key, Type{Kind::kReal, {graph::kTime, graph::kLanes, kWidth}});
    }

    ValueId over(const std::string& key) {
        const ValueId w = leaf("w", {8, kWidth});
        const ValueId b = leaf("b", {8});
        const ValueId x = sketch.add("tanh", {sketch.add("linear", {column(key), w, b})});
        return sketch.add("linear", {x, leaf("out", {2, 8})});
    }

    // Over all steps and lanes.
    ValueId mean_of(ValueId value) { return sketch.add("batch_mean", {sketch.add("mean", {value})}); }

    ValueId leaf(const std::string& name, std::vector<Dim> dims) {
        const ValueId have = find("parameter", "name", name);
        return have != 0 ? have : sketch.parameter("value", name, Type{Kind::kReal, std::move(dims)});
    }

    // Nodes that are the same are one, as a builder has them.
    [[nodiscard]] ValueId find(std::string_view op, std::string_view attribute, const std::string& value) const {
        for (const graph::Node& node : sketch.graph.nodes) {
            if (node.op != nullptr && node.op->name == op && graph::string_attribute(node, attribute) == value) {
                return node.first_output;
            }
        }
        return 0;
    }

    [[nodiscard]] ProgramSpec spec(DType stored) const {
        ProgramSpec out{.name = "prepare", .graph = &sketch.graph, .inputs = {}, .outputs = {}};
        out.inputs = {{"observation", stored, {kWidth}}, {"next.observation", stored, {kWidth}}};
        for (const graph::Named& write : sketch.graph.writes) {
            out.outputs.push_back({write.name, learner.real, {2}});
        }
        return out;
    }

    [[nodiscard]] std::vector<compiled::NextValue> found(std::int64_t steps = kSteps,
                                                         std::int64_t lanes = kLanesOf) const {
        const ProgramSpec made = spec(DType::kF32);
        const auto plan = make_plan(made, {}, learner, {});
        REQUIRE(plan.has_value());
        auto update = compiled::make_update_graph(*plan, {}, learner);
        REQUIRE(update.has_value());
        const std::vector<bool> before = update->needed;
        auto out = compiled::find_next_values(*update, made.inputs, {.time = steps, .lanes = lanes});
        CHECK((update->needed == before) == out.empty());
        CHECK(std::ranges::all_of(out, [&](const auto& each) {
            return update->needed[update->graph.values[each.next].node] &&
                   update->needed[update->graph.values[each.now].node];
        }));
        return out;
    }
};

// Next rows are those of a step later but where `ends` says so.
template <class Ends>
std::pair<Memory, Memory> columns(DType dtype, Ends ends) {
    const std::size_t count = kRowsOf * kWidth;
    std::vector<double> now = random_values("now", count);
    std::vector<double> next = random_values("last", count);
    if (dtype == DType::kU8) {
        for (double& each : now) {
            each = std::clamp(100 + 40 * each, 0.0, 255.0);
        }
        for (double& each : next) {
            each = std::clamp(100 + 40 * each, 0.0, 255.0);
        }
    }
    constexpr std::size_t kStride = kLanesOf * kWidth;
    for (std::size_t row = 0; row + kLanesOf < kRowsOf; ++row) {
        if (!ends(row)) {
            std::copy_n(now.begin() + static_cast<std::ptrdiff_t>(row * kWidth + kStride), kWidth,
                        next.begin() + static_cast<std::ptrdiff_t>(row * kWidth));
        }
    }
    return {memory("observation", dtype, {kWidth}, now), memory("next.observation", dtype, {kWidth}, next)};
}

// What the program writes, one after the other.
std::vector<std::vector<double>> run(Values& values, const std::pair<Memory, Memory>& columns, bool compiling) {
    const ProgramSpec spec = values.spec(columns.first.port.dtype);
    auto reference = executor(values.learner.real)->forward(spec, values.learner);
    REQUIRE(reference.has_value());
    std::unique_ptr<Program> program = std::move(*reference);
    if (compiling) {
        auto compiled = compiled::make_program(spec, {}, values.learner, std::move(program));
        REQUIRE(compiled.has_value());
        program = std::move(*compiled);
    }
    std::vector<Memory> out;
    for (const Port& port : spec.outputs) {
        out.push_back(memory(port.key, port.dtype, {2}, std::vector<double>(kRowsOf * 2, 77)));
    }
    std::vector<void*> outputs;
    for (Memory& each : out) {
        outputs.push_back(each.data());
    }
    const std::vector<const void*> inputs{columns.first.data(), columns.second.data()};
    Call call{.sizes = {.time = kSteps, .lanes = kLanesOf}, .inputs = inputs, .outputs = outputs};
    std::vector<std::vector<double>> written;
    for (int again = 0; again < 2; ++again) {
        REQUIRE(program->run(call).has_value());
    }
    for (const Memory& each : out) {
        written.push_back(each.values());
    }
    return written;
}

bool never(std::size_t) {
    return false;
}
bool always(std::size_t) {
    return true;
}
bool at_times(std::size_t row) {
    return row % 11 == 3;
}

}  // namespace

void check_against_the_reference(Values& values, const std::pair<Memory, Memory>& rows) {
    const auto ours = run(values, rows, true);
    const auto theirs = run(values, rows, false);
    const double tolerance = values.learner.real == DType::kF64 ? 1e-12 : 2e-6;
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t column = 0; column < ours.size(); ++column) {
        for (std::size_t i = 0; i < ours[column].size(); ++i) {
            CHECK(is_close(ours[column][i], theirs[column][i], tolerance));
        }
    }
}

TEST_CASE("values of next steps are those of steps, but where episodes end") {
    for (const DType real : {DType::kF32, DType::kF64}) {
        for (const DType stored : {DType::kF32, DType::kF64, DType::kU8}) {
            Values both(real);
            both.sketch.write("now", both.now);
            both.sketch.write("next", both.next);
            REQUIRE(both.found().size() == 1);
            Values alone(real);
            alone.sketch.write("next", alone.next);
            REQUIRE(alone.found().empty());
            for (const auto ends : {never, at_times, always}) {
                CAPTURE(static_cast<int>(real), static_cast<int>(stored), ends(3), ends(4));
                const auto rows = columns(stored, ends);
                check_against_the_reference(both, rows);
                CHECK(run(both, rows, true)[1] == run(alone, rows, true)[0]);  // to the last bit
            }
        }
    }
}

TEST_CASE("one product is enough, and none is not worth it") {
    Values one(DType::kF32);
    add_network(one.learner, "other", {{"only", {2, kWidth}, random_values("only", 2 * kWidth)}});
    const ValueId w = one.sketch.parameter("other", "only", Type{Kind::kReal, {2, kWidth}});
    one.sketch.write("now", one.sketch.add("linear", {one.column("observation"), w}));
    one.sketch.write("next", one.sketch.add("linear", {one.column("next.observation"), w}));
    CHECK(one.found().size() == 1);
    check_against_the_reference(one, columns(DType::kF32, at_times));
    Values none(DType::kF32);
    none.sketch.write("now", none.sketch.add("tanh", {none.column("observation")}));
    none.sketch.write("next", none.sketch.add("tanh", {none.column("next.observation")}));
    CHECK(none.found().empty());
}

TEST_CASE("a value over next columns is computed by itself where it is not that of a step later") {
    SECTION("few rows") {
        Values values(DType::kF32);
        values.sketch.write("now", values.now);
        values.sketch.write("next", values.next);
        CHECK(values.found(12).empty());
        CHECK(values.found(13).size() == 1);
        CHECK(values.found(7, 100).empty());  // of few steps many are the last
    }
    SECTION("other weights") {
        Values values(DType::kF32);
        add_network(values.learner, "other", {{"out", {2, 8}, random_values("other", 16)}});
        const ValueId w = values.sketch.parameter("other", "out", Type{Kind::kReal, {2, 8}});
        values.sketch.write("now", values.now);
        values.sketch.write("next", values.sketch.add("linear", {values.hidden, w}));
        const auto found = values.found();
        REQUIRE(found.size() == 1);
        CHECK(found[0].next == values.hidden);  // as far as it is the same
    }
    SECTION("a value on the way is read, too") {
        Values values(DType::kF32);
        values.sketch.write("now", values.now);
        values.sketch.write("next", values.next);
        values.sketch.graph.metrics.push_back({"mean", values.mean_of(values.hidden)});
        const auto found = values.found();
        REQUIRE(found.size() == 1);
        CHECK(found[0].next == values.hidden);
    }
    SECTION("a number of all steps goes into it") {
        Values values(DType::kF32);
        const ValueId all = values.mean_of(values.column("observation"));
        values.sketch.write("now", values.sketch.add("mul", {values.now, all}));
        values.sketch.write("next", values.sketch.add("mul", {values.next, all}));
        const auto found = values.found();
        REQUIRE(found.size() == 1);
        CHECK(found[0].next == values.next);
        check_against_the_reference(values, columns(DType::kF32, at_times));
    }
    SECTION("such a number goes in before") {
        Values values(DType::kF32);
        Sketch& sketch = values.sketch;
        const ValueId now = values.column("observation");
        const ValueId all = values.mean_of(now);
        const auto scaled = [&](const std::string& key) {
            const ValueId x = sketch.add("mul", {values.column(key), all});
            return sketch.add("linear", {sketch.add("linear", {x, values.leaf("w", {})}), values.leaf("out", {})});
        };
        sketch.write("now", scaled("observation"));
        sketch.write("next", scaled("next.observation"));
        CHECK(values.found().empty());
        check_against_the_reference(values, columns(DType::kF32, at_times));
    }
    SECTION("steps are mixed") {
        Values values(DType::kF32);
        values.sketch.write("now", values.sketch.add("sub", {values.now, values.mean_of(values.now)}));
        values.sketch.write("next", values.sketch.add("sub", {values.next, values.mean_of(values.next)}));
        const auto found = values.found();
        REQUIRE(found.size() == 1);
        CHECK(found[0].next == values.next);  // what is read of all steps comes after it
    }
}

}  // namespace next_values_test
