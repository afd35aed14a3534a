// SPDX-License-Identifier: Apache-2.0
// Every op's stored values and gradients, computed by compiled programs.
#include <cmath>
#include <set>
#include <string>

#include "compiled/program.hpp"
#include "examples.hpp"
#include "support/catch.hpp"

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::StartsWith;

namespace {

// What is left to the reference executor.
const std::set<std::string> kNotCompiled{"conv2d", "max_pool2d"};

bool close(double have, double want, double tolerance) {
    if (std::isnan(want) || std::isinf(want)) {
        return std::isnan(want) ? std::isnan(have) : have == want;
    }
    return std::abs(have - want) <= tolerance * std::max(1.0, std::abs(want));
}

std::vector<double> evaluate(const Example& example, DType real, std::string& refused) {
    ExampleProgram program(example, real);
    program.sketch.write("out", program.out);
    ProgramSpec spec = program.spec();
    const Type& type = program.sketch.graph.type(program.out);
    const DType stored = type.kind == Kind::kReal ? real : type.kind == Kind::kInt ? DType::kI64 : DType::kBool;
    const std::size_t count = example.out.reals.size() + example.out.integers.size();
    Memory out = memory("out", stored, {type.sizes().begin(), type.sizes().end()}, std::vector<double>(count, 77.0));
    spec.outputs.push_back(out.port);
    auto reference = executor(real)->forward(spec, program.learner);
    REQUIRE(reference.has_value());
    const auto made = compiled::make_program(spec, {}, program.learner, std::move(*reference));
    std::vector<const void*> inputs;
    for (const Memory& column : program.columns) {
        inputs.push_back(column.data());
    }
    std::vector<void*> outputs{out.data()};
    Call call;
    call.sizes = program.sizes;
    call.inputs = inputs;
    call.outputs = outputs;
    const Status done = made->run(call);
    refused = done ? std::string{} : done.error().sentence;
    return out.values();
}

}  // namespace

TEST_CASE("every op gives its stored values in both dtypes where it is compiled") {
    for (const Example& example : examples()) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(std::string(example.op), example.inputs.front().reals, example.inputs.front().dims,
                    real == DType::kF64);
            std::string refused;
            const std::vector<double> have = evaluate(example, real, refused);
            if (kNotCompiled.contains(std::string(example.op))) {
                CHECK_THAT(refused, StartsWith("there is no compiled " + std::string(example.op)));
                continue;
            }
            REQUIRE(refused.empty());
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
