// SPDX-License-Identifier: Apache-2.0
// A recurrent cell over time with resets, forward and backward, against loops written by hand.
#include <cmath>

#include "support.hpp"
#include "support/catch.hpp"

namespace scan_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::int64_t kSteps = 5;
constexpr std::int64_t kBatch = 2;
const std::vector<double> kInputs{0.5, -1.0, 0.25, 2.0, -0.75, 1.5, 0.1, 0.3, -0.2, 0.9};  // [T, B]
const std::vector<double> kReset{0, 0, 0, 1, 1, 0, 0, 0, 0, 1};
constexpr double kWeight = 0.7;
constexpr double kFirst = 0.4;

// h[t] = tanh(w * (0 where reset else h[t-1]) + x[t]); the loss is the mean of h over time and rows.
double by_hand(double w, double* gradient, std::vector<double>* states) {
    double total = 0;
    double slope_total = 0;
    for (std::int64_t b = 0; b < kBatch; ++b) {
        double h = kFirst;
        double slope = 0;  // of h by w
        for (std::int64_t t = 0; t < kSteps; ++t) {
            const auto at = static_cast<std::size_t>(t * kBatch + b);
            if (kReset[at] != 0) {
                h = 0;
                slope = 0;
            }
            const double next = std::tanh(w * h + kInputs[at]);
            slope = (1 - next * next) * (h + w * slope);
            h = next;
            total += h;
            slope_total += slope;
            if (states != nullptr) {
                (*states)[at] = h;
            }
        }
    }
    if (gradient != nullptr) {
        *gradient = slope_total / static_cast<double>(kSteps * kBatch);
    }
    return total / static_cast<double>(kSteps * kBatch);
}

struct Recurrent {
    Sketch sketch;
    Learner learner;
    ValueId states = 0;
    Memory x = memory("x", DType::kF64, {}, kInputs);
    Memory reset = memory("is_init", DType::kBool, {}, kReset);
    Memory first = memory("h", DType::kF64, {}, std::vector<double>(kBatch, kFirst));

    Recurrent() {
        learner.real = DType::kF64;
        add_network(learner, "cell", {{.name = "w", .shape = {}, .values = {kWeight}, .trainable = true}});
        const Type over_time{Kind::kReal, {graph::kTime, graph::kRows}};
        const ValueId in_x = sketch.column("x", over_time);
        const ValueId in_reset = sketch.column("is_init", Type{Kind::kBool, over_time.dims});
        const ValueId in_first = sketch.column("h", Type{Kind::kReal, {graph::kRows}});
        const ValueId w = sketch.parameter("cell", "w", Type{});
        graph::Region region;
        region.scan = true;
        region.carries = 1;
        region.reset = 2;
        region.arguments = {in_first, in_x, in_reset};
        sketch.graph.regions.push_back(region);
        sketch.region = 1;
        std::vector<ValueId> inside;
        for (std::int64_t i = 0; i < 3; ++i) {
            inside.push_back(sketch.special("argument", {{"number", i}, {"region", std::int64_t{1}}},
                                            Type{i == 2 ? Kind::kBool : Kind::kReal, {graph::kRows}}));
        }
        const ValueId h = sketch.add("tanh", {sketch.add("add", {sketch.add("mul", {w, inside[0]}), inside[1]})});
        sketch.region = 0;
        graph::Region& made = sketch.graph.regions[1];
        made.inputs = inside;
        made.results = {h};
        states = sketch.special("scan", {{"region", std::int64_t{1}}}, over_time, made.arguments);
        made.outputs = {states};
    }

    [[nodiscard]] ProgramSpec spec(std::vector<Port> outputs) const {
        return {.name = "recurrent",
                .graph = &sketch.graph,
                .inputs = {x.port, reset.port, first.port},
                .outputs = std::move(outputs),
                .seed = 0};
    }
};

}  // namespace

TEST_CASE("a scan with resets computes what a loop does") {
    Recurrent recurrent;
    recurrent.sketch.write("h", recurrent.states);
    Memory out = memory("h", DType::kF64, {}, std::vector<double>(kSteps * kBatch));
    auto program = executor(DType::kF64)->forward(recurrent.spec({out.port}), recurrent.learner);
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs{recurrent.x.data(), recurrent.reset.data(), recurrent.first.data()};
    const std::vector<void*> outputs{out.data()};
    Call call{.sizes = {.rows = kBatch, .time = kSteps, .lanes = 0}, .inputs = inputs, .outputs = outputs};
    REQUIRE((*program)->run(call).has_value());
    std::vector<double> states(kSteps * kBatch);
    by_hand(kWeight, nullptr, &states);
    for (std::size_t i = 0; i < states.size(); ++i) {
        CHECK(out.f64[i] == Catch::Approx(states[i]).epsilon(1e-14));
    }
}

TEST_CASE("the gradient through a scan is that of the loop, cut at resets") {
    Recurrent recurrent;
    recurrent.sketch.loss("h", recurrent.sketch.stage("update", {"cell"}), recurrent.states);
    auto program = executor(DType::kF64)->update(recurrent.spec({}), {plan_of({0})}, recurrent.learner);
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs{recurrent.x.data(), recurrent.reset.data(), recurrent.first.data()};
    const std::vector<double> live{0.0, 0.9, 0.999, 1e-8, 0.0};
    std::vector<double> losses(1);
    Call call{.sizes = {.rows = kBatch, .time = kSteps, .lanes = 0},
              .inputs = inputs,
              .numbers = {.live = live},
              .results = {.losses = losses}};
    REQUIRE((*program)->run(call).has_value());
    double gradient = 0;
    CHECK(losses[0] == Catch::Approx(by_hand(kWeight, &gradient, nullptr)).epsilon(1e-14));
    const Network& network = recurrent.learner.networks[0];
    CHECK(read(recurrent.learner, network, network.gradient, "w")[0] == Catch::Approx(gradient).epsilon(1e-13));
}

}  // namespace scan_test
