// SPDX-License-Identifier: Apache-2.0
// Nodes computed as they are added.
#include <array>
#include <cmath>

#include "support.hpp"
#include "support/catch.hpp"

namespace eager_test {

using namespace tenon;
using namespace tenon::test;

namespace {

struct Session {
    Sketch sketch;
    Learner learner;
    Memory x = memory("x", DType::kF32, {2}, {1, 2, 3, 4});
    std::unique_ptr<EagerEvaluator> eager;
    std::size_t told = 1;

    Session() {
        SampleBatch sample;
        sample.sizes = {.rows = 2, .time = 1, .lanes = 1};
        sample.columns = {{x.port, x.data()}};
        sample.live = {0.5};
        eager.reset(tenon_torch_eager(DType::kF64, sample, learner));
    }

    Status tell() {
        Status done;
        for (; told < sketch.graph.nodes.size() && done; ++told) {
            done = eager->added(sketch.graph, static_cast<graph::NodeId>(told));
        }
        return done;
    }

    std::vector<double> peek(ValueId value) {
        REQUIRE(tell().has_value());
        std::vector<double> out(16);
        const Result<std::uint64_t> count = eager->peek(value, out);
        REQUIRE(count.has_value());
        out.resize(*count);
        return out;
    }
};

}  // namespace

TEST_CASE("an eager build shows the numbers of the sample batch") {
    Session session;
    const ValueId x = session.sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}});
    CHECK(session.peek(x) == std::vector<double>{1, 2, 3, 4});
    const ValueId sum = session.sketch.add("sum", {x});
    CHECK(session.peek(sum) == std::vector<double>{3, 7});
    const ValueId half =
        session.sketch.special("option", {{"name", std::string("o")}, {"index", std::int64_t{0}}}, Type{});
    CHECK(session.peek(session.sketch.add("mul", {sum, half})) == std::vector<double>{1.5, 3.5});
    std::array<double, 1> small{};
    CHECK(*session.eager->peek(x, small) == 4);
    CHECK(small[0] == 1);
    CHECK_FALSE(session.eager->peek(999, small).has_value());
}

TEST_CASE("an eager build makes up parameters that no learner has yet, always the same") {
    std::vector<double> first;
    for (int round = 0; round < 2; ++round) {
        Session session;
        const ValueId w = session.sketch.parameter("qvalue", "w", Type{Kind::kReal, {3, 2}});
        const std::vector<double> values = session.peek(w);
        REQUIRE(values.size() == 6);
        CHECK((round == 0 || values == first));
        CHECK(values[0] != values[1]);
        first = values;
    }
}

TEST_CASE("an eager build of a scan shows its first step inside and all of them outside") {
    Session session;
    Sketch& sketch = session.sketch;
    const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}});
    const ValueId series = sketch.special("unsqueeze", {{"axis", std::int64_t{-3}}},
                                          Type{Kind::kReal, {graph::kTime, graph::kRows, 2}}, {x});
    graph::Region region;
    region.scan = true;
    region.carries = 1;
    region.arguments = {x, series};
    sketch.graph.regions.push_back(region);
    sketch.region = 1;
    const ValueId carry =
        sketch.special("argument", {{"number", std::int64_t{0}}, {"region", std::int64_t{1}}}, sketch.graph.type(x));
    const ValueId now =
        sketch.special("argument", {{"number", std::int64_t{1}}, {"region", std::int64_t{1}}}, sketch.graph.type(x));
    const ValueId next = sketch.add("add", {carry, now});
    CHECK(session.peek(next) == std::vector<double>{2, 4, 6, 8});
    sketch.region = 0;
    sketch.graph.regions[1].inputs = {carry, now};
    sketch.graph.regions[1].results = {next};
    const ValueId out = sketch.special("scan", {{"region", std::int64_t{1}}}, sketch.graph.type(series), {x, series});
    CHECK(session.peek(out) == std::vector<double>{2, 4, 6, 8});
}

TEST_CASE("a node that cannot be computed is a problem of the build") {
    Session session;
    const ValueId x = session.sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}});
    const ValueId index = session.sketch.add("cast", {session.sketch.add("sum", {x})}, {{"to", std::string("int")}});
    session.sketch.add("gather", {x, index});
    session.sketch.at_line(33);
    const Status failed = session.tell();
    REQUIRE_FALSE(failed.has_value());
    CHECK(failed.error().place.line == 33);
}

}  // namespace eager_test
