// SPDX-License-Identifier: Apache-2.0
// Random nodes in programs.
#include "compute/graph/draw.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace random_test {

using namespace tenon;
using namespace tenon::test;

namespace {

struct Noise {
    Sketch sketch;
    Learner learner;
    Memory in = memory("x", DType::kF32, {2}, std::vector<double>(8));
    std::unique_ptr<Program> program;

    explicit Noise(DType real, bool fed = false) {
        const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}});
        const ValueId noise =
            sketch.special("random_normal", {{"stream", std::string("a.act/noise")}}, sketch.graph.type(x), {x});
        sketch.at_line(1);
        // two readers see one draw
        sketch.write("twice", sketch.add("add", {noise, noise}));
        sketch.write("once", sketch.add("mul", {noise, sketch.constant(1.0)}));
        sketch.write("uniform",
                     sketch.special("random_uniform", {{"stream", std::string("a.act/u")}}, sketch.graph.type(x), {x}));
        ProgramSpec spec{.name = "act", .graph = &sketch.graph, .inputs = {in.port}, .outputs = {}, .seed = 11};
        if (fed) {
            spec.inputs.push_back({"draw/a.act/noise", DType::kF32, {2}});
        }
        for (const char* name : {"twice", "once", "uniform"}) {
            spec.outputs.push_back({name, DType::kF64, {2}});
        }
        program = std::move(*executor(real)->forward(spec, learner));
    }

    std::vector<std::vector<double>> run(std::int64_t rows, std::uint64_t first_row, std::uint64_t counter,
                                         const void* feed = nullptr) {
        std::vector<std::vector<double>> out(3, std::vector<double>(static_cast<std::size_t>(rows) * 2));
        const std::vector<const void*> inputs{in.data(), feed};
        const std::vector<void*> outputs{out[0].data(), out[1].data(), out[2].data()};
        Call call{.sizes = {.rows = rows},
                  .inputs = inputs,
                  .outputs = outputs,
                  .random = {.counter = counter, .first_row = first_row}};
        REQUIRE(program->run(call).has_value());
        return out;
    }
};

}  // namespace

TEST_CASE("a random node is drawn once a run, whoever reads it") {
    Noise noise(DType::kF64);
    const auto out = noise.run(4, 0, 3);
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(out[0][i] == 2 * out[1][i]);
        CHECK(out[1][i] != 0);
    }
    CHECK(noise.run(4, 0, 3) == out);
    CHECK(noise.run(4, 0, 4)[1] != out[1]);
}

TEST_CASE("random nodes do not depend on how rows are cut, and are those of draw.hpp") {
    Noise noise(DType::kF32);
    const auto whole = noise.run(4, 100, 3);
    for (std::size_t output = 0; output < 3; ++output) {
        std::vector<double> parts;
        for (const auto& [rows, first] : {std::pair{1, 100U}, std::pair{3, 101U}}) {
            const auto part = noise.run(rows, first, 3)[output];
            parts.insert(parts.end(), part.begin(), part.end());
        }
        CHECK(parts == whole[output]);
    }
    const graph::Node& node = noise.sketch.graph.nodes[2];
    std::vector<float> expected(8);
    graph::draw_normal({.key = graph::stream_key(11, noise.sketch.graph, node),
                        .counter = 3,
                        .first_row = 100,
                        .rows = 4,
                        .width = 2,
                        .member = 0,
                        .time = 0},
                       expected.data());
    CHECK(whole[1] == std::vector<double>(expected.begin(), expected.end()));
}

TEST_CASE("float32 and float64 programs draw the same numbers up to rounding") {
    const auto small = Noise(DType::kF32).run(4, 0, 9);
    const auto large = Noise(DType::kF64).run(4, 0, 9);
    CHECK(small[2] == large[2]);
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(static_cast<float>(large[1][i]) == static_cast<float>(small[1][i]));
    }
}

TEST_CASE("a column can feed a random node") {
    Noise noise(DType::kF32, true);
    const std::vector<float> feed{1, 2, 3, 4};
    CHECK(noise.run(2, 0, 1, feed.data())[1] == std::vector<double>{1, 2, 3, 4});
}

}  // namespace random_test
