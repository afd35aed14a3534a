// SPDX-License-Identifier: Apache-2.0
// Scans over time, compiled: what they give out and their gradients, against the reference executor, which runs a body
// a step at a time and differentiates by libtorch.
#include <array>
#include <functional>
#include <random>
#include <string>

#include "engines/compiled/executor.hpp"
#include "engines/compiled/update_graph.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace scans_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t kSteps = 5;
constexpr std::int64_t kLanes = 3;
constexpr std::int64_t kSize = 4;
constexpr std::int64_t kMembersOfNetwork = 2;
constexpr double kTolerance = 1e-12;
const std::vector<double> kLive{0.0, 0.9, 0.999, 1e-8, 0.0};

std::vector<double> numbers(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> out(count);
    std::ranges::generate(out, [&] { return normal(random); });
    return out;
}

const Type kState{Kind::kReal, {graph::kLanes, kSize}};
const Type kStates{Kind::kReal, {graph::kTime, graph::kLanes, kSize}};

// A graph with columns, parameters and a scan.
struct Scanned {
    Sketch sketch{kMembersOfNetwork};
    Learner learner;
    std::vector<test::Memory> columns;
    ValueId x = 0;       // [T, L, size]
    ValueId begins = 0;  // bool [T, L]
    ValueId first = 0;   // [L, size]
    ValueId weight = 0;  // [size, size]
    ValueId scale = 0;   // [size]

    Scanned() {
        learner.real = DType::kF64;
        const auto square = static_cast<std::size_t>(kSize * kSize);
        add_network(learner, "ensemble",
                    {{.name = "m", .shape = {kSize, kSize}, .values = numbers(square * kMembersOfNetwork, 6)}}, false,
                    kMembersOfNetwork, true);
        add_network(learner, "cell",
                    {{.name = "w", .shape = {kSize, kSize}, .values = numbers(square, 1)},
                     {.name = "s", .shape = {kSize}, .values = numbers(kSize, 2)}});
        x = column("x", kStates, numbers(kSteps * kLanes * kSize, 3));
        std::vector<double> flags(kSteps * kLanes, 0);
        flags[1] = flags[7] = flags[8] = 1;
        begins = column("is_init", Type{Kind::kBool, {graph::kTime, graph::kLanes}}, flags, DType::kBool);
        first = column("first", kState, numbers(kLanes * kSize, 4));
        weight = sketch.parameter("cell", "w", Type{Kind::kReal, {kSize, kSize}});
        scale = sketch.parameter("cell", "s", Type{Kind::kReal, {kSize}});
    }

    ValueId column(const std::string& key, const Type& type, const std::vector<double>& values,
                   DType dtype = DType::kF64) {
        const std::vector<std::int64_t> row(type.sizes().begin(), type.sizes().end());
        columns.push_back(memory(key, dtype, row, values));
        return sketch.column(key, type);
    }

    using Body = std::function<std::vector<ValueId>(const std::vector<ValueId>&)>;

    // The first `carried` arguments are carried, the last one resets.
    std::vector<ValueId> scan(const std::vector<ValueId>& arguments, std::int64_t carried, const Body& body) {
        graph::Region region;
        region.scan = true;
        region.carries = carried;
        region.reset = static_cast<std::int64_t>(arguments.size()) - 1;
        region.arguments = arguments;
        const std::uint32_t around = sketch.region;
        region.parent = around;
        sketch.graph.regions.push_back(region);
        const auto number = static_cast<std::int64_t>(sketch.graph.regions.size() - 1);
        sketch.region = static_cast<std::uint32_t>(number);
        std::vector<ValueId> inside;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const Type type = sketch.graph.type(arguments[i]);
            inside.push_back(
                sketch.special("argument", {{"number", static_cast<std::int64_t>(i)}, {"region", number}},
                               static_cast<std::int64_t>(i) < carried ? type : graph::at_one_step(type, graph::kTime)));
        }
        const std::vector<ValueId> results = body(inside);
        sketch.region = around;
        graph::Region& made = sketch.graph.regions[static_cast<std::size_t>(number)];
        made.inputs = inside;
        made.results = results;
        const auto type_of = [&](ValueId result) { return graph::over_steps(sketch.graph.type(result), graph::kTime); };
        made.outputs = {sketch.special("scan", {{"region", number}}, type_of(results[0]), arguments)};
        for (std::uint32_t i = 1; i < results.size(); ++i) {
            made.outputs.push_back(static_cast<ValueId>(sketch.graph.values.size()));
            sketch.graph.values.push_back(
                {type_of(results[i]), static_cast<graph::NodeId>(sketch.graph.nodes.size() - 1), i});
        }
        sketch.graph.nodes.back().output_count = static_cast<std::uint32_t>(results.size());
        return made.outputs;
    }

    // A weight for each element, so that their gradients differ; the sum over sizes is what is learnt from.
    void learn_from(ValueId value) {
        ValueId out = sketch.add("mul", {sketch.add("sin", {sketch.add("mul", {value, sketch.constant(1.7)})}), x});
        sketch.loss("sum", static_cast<std::uint32_t>(sketch.graph.stages.size()),
                    sketch.add("sum", {out}, {{"axis", std::int64_t{-1}}}));
        sketch.stage("update", {"ensemble", "cell"});
    }

    [[nodiscard]] std::vector<const void*> inputs() const {
        std::vector<const void*> out;
        for (const test::Memory& column : columns) {
            out.push_back(column.data());
        }
        return out;
    }

    [[nodiscard]] ProgramSpec spec() const {
        std::vector<Port> ports;
        for (const test::Memory& each : columns) {
            ports.push_back(each.port);
        }
        return {.name = "scanned", .graph = &sketch.graph, .inputs = std::move(ports), .outputs = {}, .seed = 3};
    }
};

struct Learnt {
    double loss = 0;
    std::vector<double> gradient;
};

const std::vector<StagePlan> kStages{plan_of({0, 1})};

Learnt learn(Scanned& scanned, Executor& by) {
    auto program = by.update(scanned.spec(), kStages, scanned.learner);
    INFO((program ? std::string{} : program.error().sentence));
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs = scanned.inputs();
    std::vector<double> losses(1);
    Call call{.sizes = {.rows = 0, .time = kSteps, .lanes = kLanes},
              .inputs = inputs,
              .numbers = {.live = kLive},
              .results = {.losses = losses}};
    const Result<Computed*> done = (*program)->run(call);
    INFO((done ? std::string{} : done.error().sentence));
    REQUIRE(done.has_value());
    Learnt out{.loss = losses[0], .gradient = {}};
    for (const Network& network : scanned.learner.networks) {
        const auto* gradient = network.gradient.as<double>();
        out.gradient.insert(out.gradient.end(), gradient, gradient + network.layout.trainable_size);
    }
    return out;
}

void check_both(Scanned& scanned) {
    const auto reference = executor(DType::kF64);
    const Learnt want = learn(scanned, *reference);
    const Learnt have = learn(scanned, *compiled::make_executor(executor(DType::kF64)));
    CHECK(std::abs(have.loss - want.loss) <= kTolerance * (1 + std::abs(want.loss)));
    REQUIRE(have.gradient.size() == want.gradient.size());
    double most = 0;
    for (std::size_t i = 0; i < want.gradient.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(have.gradient[i] - want.gradient[i]) <= kTolerance * (1 + std::abs(want.gradient[i])));
        most = std::max(most, std::abs(want.gradient[i]));
    }
    CHECK(most > 1e-3);
}

}  // namespace

TEST_CASE("a memory that begins anew") {
    Scanned s;
    Sketch& g = s.sketch;
    s.learn_from(s.scan({s.first, s.x, s.begins}, 1, [&](const auto& in) {
        return std::vector{g.add("tanh", {g.add("add", {g.add("linear", {in[0], s.weight, s.scale}), in[1]})})};
    })[0]);
    check_both(s);
}

TEST_CASE("two memories, one of which begins at a parameter, and more that is given out") {
    Scanned s;
    Sketch& g = s.sketch;
    const ValueId cell = g.add("expand_like", {s.scale, s.first});
    const auto out = s.scan({s.first, cell, s.x, s.begins}, 2, [&](const auto& in) {
        const ValueId of_both =
            g.add("linear", {g.add("concat", {in[0], in[2]}), g.add("concat", {s.weight, s.weight})});
        const ValueId gate = g.add("sigmoid", {of_both});
        const ValueId kept = g.add("add", {g.add("mul", {gate, in[1]}), g.add("square", {in[2]})});
        const ValueId hidden = g.add("mul", {gate, g.add("tanh", {kept})});
        return std::vector{hidden, kept, g.add("mul", {gate, s.scale}), g.add("lt", {in[0], kept})};
    });
    const ValueId counted = g.add("cast", {out[3]}, {{"to", std::string("real")}});
    s.learn_from(g.add("add", {g.add("add", {out[0], out[1]}), g.add("mul", {out[2], counted})}));
    check_both(s);
}

TEST_CASE("what is chosen inside of a scan") {
    Scanned s;
    Sketch& g = s.sketch;
    std::vector<double> chosen(kSteps * kLanes);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        chosen[i] = static_cast<double>(i * 7 % kSize);
    }
    const ValueId quarter = g.constant(0.25);
    const ValueId index = s.column("index", Type{Kind::kInt, {graph::kTime, graph::kLanes}}, chosen, DType::kI64);
    s.learn_from(s.scan({s.first, s.x, index, s.begins}, 1, [&](const auto& in) {
        const ValueId one = g.add("unsqueeze", {g.add("gather", {in[0], in[2]})});
        const ValueId most = g.add("max", {in[0]}, {{"axis", std::int64_t{-1}}});
        const ValueId above = g.add("gt", {in[0], in[1]});
        const ValueId next = g.add("where", {above, g.add("mul", {in[0], s.scale}), g.add("add", {in[1], one})});
        return std::vector{g.add("add", {next, g.add("unsqueeze", {g.add("mul", {most, quarter})})})};
    })[0]);
    check_both(s);
}

// Without a gradient: what is carried may be held in one place then, but not if its values at all steps are read.
TEST_CASE("a step puts an element into what it carries, and the values of all steps are read") {
    Scanned s;
    Sketch& g = s.sketch;
    std::vector<double> places(kSteps * kLanes);
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<double>(i * 5 % kSize);
    }
    const ValueId place = s.column("place", Type{Kind::kInt, {graph::kTime, graph::kLanes}}, places, DType::kI64);
    const ValueId written = s.scan({s.first, s.x, place, s.begins}, 1, [&](const auto& in) {
        return std::vector{g.add("put", {in[0], in[2], g.add("gather", {in[1], in[2]})}, {{"axis", std::int64_t{-1}}})};
    })[0];
    s.learn_from(g.add("add", {g.add("linear", {s.x, s.weight, s.scale}), g.add("stop_gradient", {written})}));
    check_both(s);
}

TEST_CASE("a sequence that is the same in all lanes, and members that come before time") {
    Scanned s;
    Sketch& g = s.sketch;
    const ValueId shared = s.column("shared", Type{Kind::kReal, {graph::kTime, kSize}}, numbers(kSteps * kSize, 9));
    const ValueId members = g.parameter("ensemble", "m", Type{Kind::kReal, {kMembers, kSize, kSize}});
    const ValueId first = g.add("linear", {s.first, members});
    const ValueId out = s.scan({first, shared, s.x, s.begins}, 1, [&](const auto& in) {
        const ValueId sum = g.add("add", {g.add("linear", {in[0], members}), g.add("mul", {in[1], s.scale})});
        return std::vector{g.add("tanh", {g.add("add", {sum, in[2]})})};
    })[0];
    s.learn_from(g.add("mean_members", {out}));
    check_both(s);
}

TEST_CASE("numbers are drawn inside of a scan as they are by the other executor") {
    Scanned s;
    Sketch& g = s.sketch;
    s.learn_from(s.scan({s.first, s.x, s.begins}, 1, [&](const auto& in) {
        const ValueId noise = g.special("random_normal", {{"stream", std::string("noise")}}, kState, {in[0]});
        return std::vector{
            g.add("tanh", {g.add("add", {g.add("mul", {g.add("mul", {in[0], s.scale}), noise}), in[1]})})};
    })[0]);
    check_both(s);
}

TEST_CASE("a scan of which one memory is all that is learnt from goes on from the other") {
    Scanned s;
    Sketch& g = s.sketch;
    const ValueId half = g.constant(0.5);
    const ValueId cut = g.add("stop_gradient", {g.add("linear", {s.x, s.weight})});
    s.learn_from(s.scan({s.first, s.first, s.x, cut, s.begins}, 2, [&](const auto& in) {
        const ValueId slow = g.add("add", {g.add("mul", {in[1], half}), g.add("mul", {in[2], s.scale})});
        return std::vector{g.add("add", {in[3], g.add("stop_gradient", {in[0]})}), slow};
    })[1]);
    check_both(s);
}

TEST_CASE("the graph with its gradients is one that the reference executor computes, too") {
    Scanned s;
    Sketch& g = s.sketch;
    s.learn_from(s.scan({s.first, s.x, s.begins}, 1, [&](const auto& in) {
        return std::vector{g.add("tanh", {g.add("add", {g.add("linear", {in[0], s.weight, s.scale}), in[1]})})};
    })[0]);
    const auto reference = executor(DType::kF64);
    learn(s, *reference);
    const auto plan = make_plan(s.spec(), kStages, s.learner, {.due = 1});
    REQUIRE(plan.has_value());
    auto update = compiled::make_update_graph(*plan, kStages, s.learner);
    REQUIRE(update.has_value());
    update->graph.losses.clear();
    ProgramSpec spec = s.spec();
    spec.graph = &update->graph;
    std::vector<test::Memory> out;
    for (const graph::Named& gradient : update->named_gradients) {
        const Type& type = update->graph.type(gradient.value);
        const std::vector<std::int64_t> row(type.sizes().begin(), type.sizes().end());
        const std::size_t count = row.size() == 2 ? kSize * kSize : kSize;
        out.push_back(  // the same for every step and lane
            memory(gradient.name, DType::kF64, row, std::vector<double>(count * kSteps * kLanes, 0.0)));
        update->graph.writes.push_back(gradient);
        spec.outputs.push_back(out.back().port);
    }
    auto program = reference->forward(spec, s.learner);
    INFO((program ? std::string{} : program.error().sentence));
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs = s.inputs();
    std::vector<void*> outputs;
    for (test::Memory& each : out) {
        outputs.push_back(each.data());
    }
    Call call{.sizes = {.rows = 0, .time = kSteps, .lanes = kLanes}, .inputs = inputs, .outputs = outputs};
    REQUIRE((*program)->run(call).has_value());
    REQUIRE(out.size() == 2);
    const Network& cell = s.learner.networks[1];
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::vector<double> want = read(s.learner, cell, cell.gradient, cell.layout.parameters[i].name);
        const std::vector<double> have = out[i].values();
        for (std::size_t e = 0; e < want.size(); ++e) {
            CHECK(std::abs(have[e] - want[e]) <= kTolerance);
        }
    }
}

namespace {

std::string refused(const Scanned& scanned, Learner& learner) {
    auto program = compiled::make_executor(executor(DType::kF64))->update(scanned.spec(), kStages, learner);
    return program ? "" : program.error().sentence;
}

}  // namespace

TEST_CASE("what a scan has no compiled form for is said") {
    Scanned mixes;
    Sketch& g = mixes.sketch;
    mixes.learn_from(mixes.scan({mixes.first, mixes.x, mixes.begins}, 1, [&](const auto& in) {
        const ValueId total = g.add("sum", {in[0]}, {{"axis", std::int64_t{-1}}});
        return std::vector{g.add("sub", {g.add("mul", {in[0], mixes.scale}), g.add("batch_mean", {total})})};
    })[0]);
    CHECK_THAT(refused(mixes, mixes.learner),
               ContainsSubstring("in a scan that a gradient passes through, 'batch_mean' cannot be compiled"));

    Scanned nests;
    Sketch& n = nests.sketch;
    const auto last = nests.scan({nests.first, nests.x, nests.begins}, 1, [&](const auto& in) {
        const auto inner = nests.scan({in[0], nests.x, nests.begins}, 1,
                                      [&](const auto& at) { return std::vector{n.add("add", {at[0], at[1]})}; });
        return std::vector{n.add("add", {n.add("at_time", {inner[0]}, {{"index", std::int64_t{-1}}}), in[1]})};
    });
    n.graph.writes.push_back({"out", last[0]});
    ProgramSpec spec = nests.spec();
    spec.outputs = {memory("out", DType::kF64, {kSize}, {}).port};
    const auto compiling = compiled::make_executor(executor(DType::kF64));
    const auto program = compiling->forward(spec, nests.learner);
    REQUIRE_FALSE(program.has_value());
    CHECK_THAT(program.error().sentence, ContainsSubstring("a scan inside a scan cannot be compiled"));
}

TEST_CASE("ints and flags that a scan carries and resets") {
    Scanned s;
    Sketch& g = s.sketch;
    const Type whole{Kind::kInt, {graph::kLanes}};
    const ValueId zero = g.special("int_constant", {{"value", std::int64_t{0}}}, Type{Kind::kInt, {}});
    const ValueId one = g.special("int_constant", {{"value", std::int64_t{1}}}, Type{Kind::kInt, {}});
    const ValueId most = g.constant(1e15);
    const ValueId half = g.constant(0.5);
    const ValueId less = g.constant(-0.25);
    const ValueId count = s.column("count", whole, {3, 9007199254740991, 5}, DType::kI64);
    const ValueId flag = s.column("flag", Type{Kind::kBool, {graph::kLanes}}, {1, 0, 1}, DType::kBool);
    const auto out = s.scan({s.first, count, flag, s.x, s.begins}, 3, [&](const auto& in) {
        const ValueId more = g.add("add", {in[1], one});
        const ValueId other = g.add("not", {in[2]});
        const ValueId large = g.add("gt", {more, most});
        const ValueId step = g.add("where", {g.add("or", {large, in[2]}), half, less});
        const ValueId kept = g.add("mul", {in[0], g.add("unsqueeze", {step})});
        return std::vector{g.add("add", {g.add("mul", {kept, s.scale}), in[3]}), more, other};
    });
    const ValueId even = g.add("eq", {out[1], zero});
    const ValueId weight = g.add("where", {g.add("or", {even, out[2]}), g.constant(2), g.constant(1)});
    s.learn_from(g.add("mul", {out[0], g.add("unsqueeze", {weight})}));
    check_both(s);
}

TEST_CASE("a step that sequences do not have ends the run, whoever computes it") {
    for (const std::int64_t index : {kSteps - 1, -kSteps, kSteps, -kSteps - 1}) {
        const bool in_range = index >= -kSteps && index < kSteps;
        for (const bool compiles : {false, true}) {
            CAPTURE(index, compiles);
            Scanned s;
            s.sketch.write("out", s.sketch.add("at_time", {s.x}, {{"index", index}}));
            ProgramSpec spec = s.spec();
            spec.outputs = {memory("out", DType::kF64, {kSize}, {}).port};
            const auto by = compiles ? compiled::make_executor(executor(DType::kF64)) : executor(DType::kF64);
            const auto program = by->forward(spec, s.learner);
            REQUIRE(program.has_value());
            const std::vector<const void*> inputs = s.inputs();
            std::vector<double> out(kSteps * kLanes * kSize, 77);  // every step gets the same values
            void* const outputs[] = {out.data()};
            Call call{.sizes = {.rows = 0, .time = kSteps, .lanes = kLanes}, .inputs = inputs, .outputs = outputs};
            const Result<Computed*> done = (*program)->run(call);
            CHECK(done.has_value() == in_range);
            if (in_range) {
                const auto* at = static_cast<const double*>(inputs[0]) + (index < 0 ? 0 : index * kLanes * kSize);
                for (std::int64_t step = 0; step < kSteps; ++step) {
                    CHECK(std::equal(at, at + kLanes * kSize, out.begin() + step * kLanes * kSize));
                }
            } else {
                CHECK(out == std::vector<double>(out.size(), 77));
            }
        }
    }
}

}  // namespace scans_test
