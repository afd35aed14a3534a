// SPDX-License-Identifier: Apache-2.0
// Gradients of every op against central differences, with a random weight on every element of the result.
#include <cmath>

#include "examples.hpp"
#include "support/catch.hpp"

namespace op_gradients_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-7;  // the differences' own error is about step^2 and 1e-16 / step

// The example with other inputs: between 0.25 and 0.95, nowhere near an edge or a tie.
Example at_random(Example example, std::size_t number) {
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        const auto raw =
            random_values("input" + std::to_string(i) + "/" + std::to_string(number), example.inputs[i].reals.size());
        for (std::size_t e = 0; example.inputs[i].kind == Kind::kReal && e < raw.size(); ++e) {
            example.inputs[i].reals[e] = 0.6 + 0.35 * std::tanh(raw[e]);
        }
    }
    return example;
}

struct Weighted {
    ExampleProgram program;
    std::unique_ptr<Program> update;
    std::vector<double> live{0.0, 0.9, 0.999, 1e-8, 0.0};

    explicit Weighted(const Example& example) : program(example, DType::kF64) {
        Sketch& sketch = program.sketch;
        ValueId total = with_random_weights(program);
        for (std::size_t i = sketch.graph.type(total).sizes().size(); i > 0; --i) {
            total = sketch.add("sum", {total});
        }
        sketch.loss("sum", sketch.stage("update", {"inputs"}), total);
        auto made = executor(DType::kF64)->update(program.spec(), {plan_of({1})}, program.learner);
        INFO((made ? std::string{} : made.error().sentence));
        REQUIRE(made.has_value());
        update = std::move(*made);
    }

    double run() {
        const std::vector<const void*> inputs = program.data();
        std::vector<double> losses(1);
        Call call{.sizes = program.sizes, .inputs = inputs, .numbers = {.live = live}, .results = {.losses = losses}};
        const Result<Computed*> done = update->run(call);
        INFO((done ? std::string{} : done.error().sentence));
        REQUIRE(done.has_value());
        return losses[0];
    }
};

}  // namespace

TEST_CASE("gradients of every op agree with central differences") {
    std::size_t number = 0;
    std::size_t compared = 0;
    for (const Example& stored : examples()) {
        if (stored.gradients.empty() || stored.op == "stop_gradient") {
            continue;
        }
        const Example example = at_random(stored, ++number);
        CAPTURE(std::string(example.op), number);
        Weighted weighted(example);
        Network& network = weighted.program.learner.networks[1];
        const Learner& learner = weighted.program.learner;
        weighted.run();
        for (std::size_t i = 0; i < example.inputs.size(); ++i) {
            if (example.inputs[i].kind != Kind::kReal) {
                continue;
            }
            const std::string name = "x" + std::to_string(i);
            weighted.run();
            const std::vector<double> gradient = read(learner, network, network.gradient, name);
            std::vector<double> values = example.inputs[i].reals;
            for (std::size_t e = 0; e < values.size(); ++e) {
                const double middle = values[e];
                values[e] = middle + kStep;
                write(learner, network, name, values);
                const double above = weighted.run();
                values[e] = middle - kStep;
                write(learner, network, name, values);
                const double below = weighted.run();
                values[e] = middle;
                write(learner, network, name, values);
                const double difference = (above - below) / (2 * kStep);
                CAPTURE(i, e, gradient[e], difference);
                CHECK(std::abs(gradient[e] - difference) < kTolerance * std::max(1.0, std::abs(difference)));
                ++compared;
            }
        }
    }
    CHECK(compared > 200);
}

}  // namespace op_gradients_test
