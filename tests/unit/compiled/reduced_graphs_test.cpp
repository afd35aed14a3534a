// SPDX-License-Identifier: Apache-2.0
// What becomes of a program's graph before an executor computes it: losses are reduced to numbers, and estimators that
// are computed in one pass are single nodes.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compute/exec/composites.hpp"
#include "engines/compiled/executor.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace reduced_graphs_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;
using graph::kLanes;
using graph::kRows;
using graph::kTime;

namespace {

const std::vector<double> kLive{0.0, 0.9, 0.999, 1e-8, 0.0};

// Losses of a batch of sequences with marked rows or weights.
struct OfSequences {
    static constexpr Sizes kSizes{.rows = 0, .time = 3, .lanes = 2};
    Sketch sketch;
    Learner learner;
    Memory x = memory("x", DType::kF64, {}, {1, 2, 3, 4, 5, 6});
    Memory mask = memory("mask", DType::kBool, {}, {1, 0, 1, 1, 0, 0});
    Memory weight = memory("weight", DType::kF64, {}, {1, 2, 0, 4, 0.5, 8});
    ValueId w = 0;
    ValueId row = 0;

    OfSequences() {
        learner.real = DType::kF64;
        add_network(learner, "net", {{.name = "w", .shape = {}, .values = {3.0}}});
        w = sketch.parameter("net", "w", Type{});
        row = sketch.add("mul", {sketch.column("x", Type{Kind::kReal, {kTime, kLanes}}), w});
        sketch.stage("update", {"net"});
    }

    Result<std::vector<double>> losses(bool compiled, bool masked, bool weighted) {
        ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {x.port}, .outputs = {}};
        std::vector<const void*> inputs{x.data()};
        for (const auto& [given, of] : {std::pair(masked, &mask), std::pair(weighted, &weight)}) {
            if (given) {
                spec.inputs.push_back(of->port);
                inputs.push_back(of->data());
            }
        }
        const auto by = compiled ? compiled::make_executor(executor(DType::kF64)) : executor(DType::kF64);
        const std::unique_ptr<Program> program = TENON_TRY(by->update(spec, {plan_of({0})}, learner));
        std::vector<double> out(sketch.graph.losses.size());
        std::vector<double> norms(1);
        const Call call{.sizes = kSizes,
                        .inputs = inputs,
                        .numbers = {.live = kLive},
                        .results = {.losses = out, .gradient_norms = norms}};
        TENON_TRY(program->run(call));
        return out;
    }
};

}  // namespace

TEST_CASE("a loss of one number or of some of the leading dimensions has no mask and no weights") {
    for (const bool compiled : {false, true}) {
        for (const bool masked : {false, true}) {
            for (const bool weighted : {false, true}) {
                CAPTURE(compiled, masked, weighted);
                OfSequences of;
                Sketch& g = of.sketch;
                g.loss("number", 0, g.add("square", {of.w}));
                g.loss("lanes", 0, g.add("at_time", {of.row}, {{"index", std::int64_t{1}}}));
                g.loss("rows", 0, of.row);
                const auto losses = of.losses(compiled, masked, weighted);
                INFO((losses ? std::string() : losses.error().sentence));
                REQUIRE(losses);
                CHECK((*losses)[0] == 9);
                CHECK((*losses)[1] == 3 * (3 + 4) / 2.0);
                const double sum = weighted ? (masked ? 1 + 16 : 1 + 4 + 16 + 2.5 + 48) : (masked ? 1 + 3 + 4 : 21);
                CHECK_THAT((*losses)[2], Catch::Matchers::WithinRel(3 * sum / (masked ? 3 : 6), 1e-14));
            }
        }
    }
}

TEST_CASE("a loss over more rows than the mask or the weights have is refused at its author's line") {
    for (const bool masked : {false, true}) {
        for (const bool weighted : {false, true}) {
            CAPTURE(masked, weighted);
            OfSequences of;
            Sketch& g = of.sketch;
            const ValueId wide = g.special("spread", {{"name", std::string("rows")}, {"n", std::int64_t{1}}},
                                           Type{Kind::kReal, {kRows, kTime, kLanes}}, {of.row});
            g.at_line(23);
            g.loss("wide", 0, wide);
            const auto losses = of.losses(false, masked, weighted);
            if (masked || weighted) {
                REQUIRE_FALSE(losses);
                CHECK_THAT(losses.error().sentence,
                           ContainsSubstring("the rows of a loss differ from those of the batch's mask or weights"));
                CHECK(losses.error().place.line == 23);
            }
        }
    }
}

namespace {

// A graph whose only node with a body is an estimator of that name, over those types.
struct Estimating {
    Sketch sketch;

    Estimating(const std::string& name, std::int64_t revision, const std::vector<Type>& arguments, const Type& out) {
        graph::Region region;
        region.name = name;
        region.revision = revision;
        for (const Type& type : arguments) {
            region.arguments.push_back(sketch.column("in" + std::to_string(region.arguments.size()), type));
        }
        region.inputs = region.arguments;
        region.outputs = region.results = {sketch.special("exp", {}, out, {region.arguments.front()})};
        sketch.graph.regions.push_back(std::move(region));
    }
    [[nodiscard]] bool is_single_node() const {
        const graph::Graph made = with_composites(sketch.graph);
        return made.nodes.back().is(graph::OpId::kComposite_1);
    }
};

}  // namespace

TEST_CASE("an estimator is a single node if it has the inputs of one that is known, over the same steps") {
    const std::vector<Dim> steps{kTime, kLanes};
    const Type real{Kind::kReal, steps};
    const Type flag{Kind::kBool, steps};
    const Type number{Kind::kReal, {}};
    const std::vector<Type> all{real, flag, number};  // rewards, ends, the discount
    CHECK(Estimating("reward_to_go", 1, all, real).is_single_node());
    CHECK_FALSE(Estimating("reward_to_go", 2, all, real).is_single_node());
    CHECK_FALSE(Estimating("reward_to_come", 1, all, real).is_single_node());
    CHECK_FALSE(Estimating("reward_to_go", 1, {real, flag}, real).is_single_node());
    CHECK_FALSE(Estimating("reward_to_go", 1, {real, flag, number, number}, real).is_single_node());
    for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(i);
        std::vector<Type> other = all;
        other[i].kind = all[i].kind == Kind::kBool ? Kind::kReal : Kind::kBool;
        CHECK_FALSE(Estimating("reward_to_go", 1, other, real).is_single_node());
        other[i] = {all[i].kind, all[i].dims.empty() ? steps : std::vector<Dim>{kTime}};
        CHECK_FALSE(Estimating("reward_to_go", 1, other, real).is_single_node());
    }
    // rows that are no steps have no order
    CHECK_FALSE(
        Estimating("reward_to_go", 1, {{Kind::kReal, {kRows}}, {Kind::kBool, {kRows}}, number}, {Kind::kReal, {kRows}})
            .is_single_node());
}

}  // namespace reduced_graphs_test
