// SPDX-License-Identifier: Apache-2.0
// Every op's stored values and gradients, computed by compiled programs.
#include <cmath>
#include <set>
#include <string>

#include "compiled/executor.hpp"
#include "examples.hpp"
#include "support/catch.hpp"

using namespace tenon;
using namespace tenon::test;

namespace {

// Run on the reference executor, which a program that has them says.
const std::set<std::string> kNotCompiled{"conv2d", "max_pool2d"};

std::string said;

std::unique_ptr<Executor> compiling(DType real) {
    said.clear();
    return compiled::make_executor(executor(real), [](std::string_view line) { said = line; });
}

bool close(double have, double want, double tolerance) {
    if (std::isnan(want) || std::isinf(want)) {
        return std::isnan(want) ? std::isnan(have) : have == want;
    }
    return std::abs(have - want) <= tolerance * std::max(1.0, std::abs(want));
}

std::vector<double> evaluate(const Example& example, DType real) {
    ExampleProgram program(example, real);
    program.sketch.write("out", program.out);
    ProgramSpec spec = program.spec();
    const Type& type = program.sketch.graph.type(program.out);
    const DType stored = type.kind == Kind::kReal ? real : type.kind == Kind::kInt ? DType::kI64 : DType::kBool;
    const std::size_t count = example.out.reals.size() + example.out.integers.size();
    Memory out = memory("out", stored, {type.sizes().begin(), type.sizes().end()}, std::vector<double>(count, 77.0));
    spec.outputs.push_back(out.port);
    auto made = compiling(real)->forward(spec, program.learner);
    REQUIRE(made.has_value());
    std::vector<const void*> inputs;
    for (const Memory& column : program.columns) {
        inputs.push_back(column.data());
    }
    std::vector<void*> outputs{out.data()};
    Call call;
    call.sizes = program.sizes;
    call.inputs = inputs;
    call.outputs = outputs;
    const Status done = (*made)->run(call);
    INFO((done ? std::string{} : done.error().sentence));
    REQUIRE(done.has_value());
    return out.values();
}

}  // namespace

TEST_CASE("every op gives its stored values in both dtypes where it is compiled") {
    for (const Example& example : examples()) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(std::string(example.op), example.inputs.front().reals, example.inputs.front().dims,
                    real == DType::kF64);
            const std::vector<double> have = evaluate(example, real);
            CAPTURE(said);
            CHECK(said.empty() != kNotCompiled.contains(std::string(example.op)));
            const std::vector<double> want =
                example.out.kind == Kind::kInt
                    ? std::vector<double>(example.out.integers.begin(), example.out.integers.end())
                    : example.out.reals;
            REQUIRE(have.size() == want.size());
            for (std::size_t i = 0; i < want.size(); ++i) {
                CAPTURE(i, have[i], want[i]);
                CHECK(close(have[i], want[i], real == DType::kF64 ? 1e-12 : 2e-6));
            }
        }
    }
}
