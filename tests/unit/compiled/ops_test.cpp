// SPDX-License-Identifier: Apache-2.0
// Every op's stored values and gradients, computed by compiled programs.
#include <array>
#include <string>

#include "engines/compiled/program.hpp"
#include "examples.hpp"
#include "support/catch.hpp"

namespace ops_test {

using namespace tenon;
using namespace tenon::test;

namespace {

MakeForward compiling(DType real) {
    return [real](const ProgramSpec& spec, Learner& learner) {
        auto reference = executor(real)->forward(spec, learner);
        REQUIRE(reference.has_value());
        auto made = compiled::make_program(spec, {}, learner, std::move(*reference));
        REQUIRE(made.has_value());
        return std::move(*made);
    };
}

using Extents = std::vector<std::int64_t>;

// What comes out of an operation whose images, or windows, are the same at all times or in all lanes. Each is of two
// pixels and has one window, so that the numbers stay as they are.
std::vector<double> of_repeated(const std::string& op, const Extents& sizes, bool along_time) {
    constexpr std::int64_t kTimes = 3;
    constexpr std::int64_t kLanes = 2;
    const auto type = [&](std::vector<Dim> dims) {
        dims.insert(dims.end(), sizes.begin(), sizes.end());
        return Type{Kind::kReal, dims};
    };
    Sketch sketch;
    Learner learner;
    learner.real = DType::kF64;
    const Memory few = memory("few", DType::kF64, sizes, {1, 2, 3, 4, 5, 6});
    const Memory many = memory("many", DType::kF64, sizes, std::vector<double>(kTimes * kLanes * 2));
    const ValueId like = sketch.column("many", type({graph::kTime, graph::kLanes}));
    const ValueId x = sketch.column("few", type({along_time ? graph::kLanes : graph::kTime}));
    std::vector<graph::Attribute> window{{"height", std::int64_t{1}},
                                         {"width", std::int64_t{2}},
                                         {"stride", std::int64_t{1}},
                                         {"padding", std::int64_t{0}}};
    window.push_back(op == "patches" ? graph::Attribute{"fill", 0.0} : graph::Attribute{"image", Extents{1, 2}});
    const ValueId out = sketch.add(op, {sketch.add("expand_like", {x, like})}, window);
    sketch.write("out", out);
    const auto made_sizes = sketch.graph.type(out).sizes();
    Memory result = memory("out", DType::kF64, {made_sizes.begin(), made_sizes.end()}, many.values());
    const ProgramSpec spec{.name = "repeated",
                           .graph = &sketch.graph,
                           .inputs = {many.port, few.port},
                           .outputs = {result.port},
                           .seed = 0};
    const std::unique_ptr<Program> program = compiling(DType::kF64)(spec, learner);
    const std::array<const void*, 2> inputs{many.data(), few.data()};
    std::array<void*, 1> outputs{result.data()};
    Call call{.sizes = {.rows = 0, .time = kTimes, .lanes = kLanes}, .inputs = inputs, .outputs = outputs};
    const Result<Computed*> done = program->run(call);
    REQUIRE(done.has_value());
    return result.values();
}

}  // namespace

TEST_CASE("every op gives its stored values in both dtypes") {
    for (const Example& example : examples()) {
        for (const DType real : {DType::kF64, DType::kF32}) {
            CAPTURE(std::string(example.op), example.inputs.front().reals, example.inputs.front().dims,
                    real == DType::kF64);
            const auto [have, refused] = evaluate(example, real, compiling(real));
            REQUIRE(refused == "");
            const std::vector<double> want = stored_values(example);
            REQUIRE(have.size() == want.size());
            for (std::size_t i = 0; i < want.size(); ++i) {
                CAPTURE(i, have[i], want[i]);
                CHECK(is_close(have[i], want[i], real == DType::kF64 ? 1e-12 : 2e-6));
            }
        }
    }
}

TEST_CASE("windows of images that are the same in all lanes, or at all times") {
    const std::vector<double> in_lanes{1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6};
    const std::vector<double> at_times{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
    CHECK(of_repeated("patches", {1, 2, 1}, false) == in_lanes);
    CHECK(of_repeated("patches", {1, 2, 1}, true) == at_times);
    CHECK(of_repeated("unpatch", {1, 2}, false) == in_lanes);
    CHECK(of_repeated("unpatch", {1, 2}, true) == at_times);
}

}  // namespace ops_test
