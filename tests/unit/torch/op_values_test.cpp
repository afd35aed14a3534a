// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "examples.hpp"
#include "support/catch.hpp"

namespace op_values_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::string text(const Example& example) {
    std::string out = std::string(example.op) + " of";
    for (const ExampleTensor& input : example.inputs) {
        out += " " + std::string(input.dims.empty() ? "scalar" : input.dims) + " (";
        for (const double x : input.reals) {
            out += std::to_string(x) + ",";
        }
        out += ')';
    }
    return out;
}

MakeForward reference(DType real) {
    return [real](const ProgramSpec& spec, Learner& learner) {
        auto made = executor(real)->forward(spec, learner);
        REQUIRE(made.has_value());
        return std::move(*made);
    };
}

}  // namespace

TEST_CASE("every op gives its stored values in both dtypes") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        // a few roundings of the dtype, at a scale of 1
        const double tolerance = real == DType::kF64 ? 1e-14 : 1e-6;
        for (const Example& example : examples()) {
            CAPTURE(text(example), name_of(real));
            const auto [have, refused] = evaluate(example, real, reference(real));
            REQUIRE(refused == "");
            const std::vector<double> want = stored_values(example);
            REQUIRE(have.size() == want.size());
            for (std::size_t i = 0; i < want.size(); ++i) {
                CAPTURE(i, have[i], want[i]);
                CHECK(is_close(have[i], want[i], tolerance));
            }
        }
    }
}

TEST_CASE("every op gives its stored gradients in both dtypes") {
    for (const DType real : {DType::kF64, DType::kF32}) {
        const double tolerance = real == DType::kF64 ? 1e-14 : 2e-6;
        for (const Example& example : examples()) {
            if (example.gradients.empty()) {
                continue;
            }
            CAPTURE(text(example), name_of(real));
            ExampleProgram program(example, real);
            Sketch& sketch = program.sketch;
            // the sum of all results: the mean that the host takes, times the number of rows, once sizes are summed
            ValueId total = program.out;
            double rows = 1;
            for (std::size_t i = sketch.graph.type(total).sizes().size(); i > 0; --i) {
                total = sketch.add("sum", {total});
            }
            for (const Dim dim : sketch.graph.type(total).dims) {
                rows *= dim == graph::kRows    ? static_cast<double>(program.sizes.rows)
                        : dim == graph::kTime  ? static_cast<double>(program.sizes.time)
                        : dim == graph::kLanes ? static_cast<double>(program.sizes.lanes)
                                               : 1.0;
            }
            // tie every input in, for a stage must depend on what it owns even where the op cuts the gradient
            for (const ValueId input : program.inputs) {
                if (sketch.graph.type(input).kind == Kind::kReal && example.op == "stop_gradient") {
                    total = sketch.add("add", {total, sketch.add("mul", {input, sketch.constant(0.0)})});
                }
            }
            sketch.loss("sum", sketch.stage("update", {"inputs"}), sketch.add("mul", {total, sketch.constant(rows)}));
            auto made = executor(real)->update(program.spec(), {plan_of({1})}, program.learner);
            INFO((made ? std::string{} : made.error().sentence));
            REQUIRE(made.has_value());
            const std::vector<const void*> inputs = program.data();
            const std::vector<double> live{0.0, 0.9, 0.999, 1e-8, 0.0};
            Call call{.sizes = program.sizes, .inputs = inputs, .numbers = {.live = live}};
            static_cast<void>((*made)->run(call));  // the gradient is there even where the loss or it is not finite
            for (std::size_t i = 0; i < example.gradients.size(); ++i) {
                const std::vector<double>& want = example.gradients[i].reals;
                if (want.empty()) {
                    continue;
                }
                const Network& network = program.learner.networks[1];
                const std::vector<double> have =
                    read(program.learner, network, network.gradient, "x" + std::to_string(i));
                REQUIRE(have.size() == want.size());
                for (std::size_t e = 0; e < want.size(); ++e) {
                    CAPTURE(i, e, have[e], want[e]);
                    CHECK(is_close(have[e], want[e], tolerance));
                }
            }
        }
    }
}

TEST_CASE("every op with a kernel has an example") {
    const auto name = [](std::string_view op, std::uint32_t revision) {
        return std::string(op) + "/" + std::to_string(revision);
    };
    std::set<std::string> seen;
    for (const Example& example : examples()) {
        seen.insert(name(example.op, example.revision));
    }
    for (const graph::OpDef& op : graph::op_table()) {
        if (op.rule != graph::Rule::kSpecial && !op.random) {
            CAPTURE(std::string(op.name));
            CHECK(seen.contains(name(op.name, op.revision)));
        }
    }
}

}  // namespace op_values_test
