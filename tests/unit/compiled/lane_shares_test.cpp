// SPDX-License-Identifier: Apache-2.0
// A program whose loop carries more than fits a cache runs for a share of the lanes at a time. Tests of how lanes are
// divided, and that each share reads and writes its own rows, with the draws of its lanes.
#include "engines/compiled/lane_shares.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "support.hpp"
#include "support/catch.hpp"

namespace lane_shares_test {

using namespace tenon;
using namespace tenon::test;
using compiled::lanes_together;

namespace {

// Writes each row of its input plus the number of the lane.
struct Adding final : Program, Computed {
    std::vector<Sizes>& calls;
    explicit Adding(std::vector<Sizes>& to) : calls(to) {}

    Result<Computed*> run(const Call& call) override {
        calls.push_back(call.sizes);
        for (std::int64_t lane = 0; lane < call.sizes.lanes; ++lane) {
            const double in = static_cast<const double*>(call.inputs[0])[2 * lane + 1];
            static_cast<double*>(call.outputs[0])[lane] =
                in + static_cast<double>(call.random.first_row + static_cast<std::uint64_t>(lane));
        }
        CHECK(call.numbers.same_parameters == (calls.size() > 1));
        return this;
    }
};

// Two columns of each lane, and a loop that carries so many numbers.
struct Rig {
    Sketch sketch;
    Learner learner;
    ProgramSpec spec{.name = "act",
                     .graph = &sketch.graph,
                     .inputs = {{.key = "x", .dtype = DType::kF64, .row = {2}}},
                     .outputs = {{.key = "y", .dtype = DType::kF64, .row = {}}}};
    std::vector<Sizes> calls;

    explicit Rig(std::int64_t carried) {
        learner.real = DType::kF64;
        const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kLanes, 2}});
        graph::Region region;
        region.scan = true;
        region.carries = 1;
        region.inputs = {sketch.special("argument", {}, Type{Kind::kReal, {graph::kLanes, carried}}, {x})};
        sketch.graph.regions.push_back(region);
    }

    std::vector<double> run(std::int64_t lanes, const Watch* watch = nullptr) {
        calls.clear();
        const std::unique_ptr<Program> program =
            compiled::in_lane_shares(std::make_unique<Adding>(calls), spec, learner);
        std::vector<double> in, out(static_cast<std::size_t>(lanes));
        for (std::int64_t i = 0; i < 2 * lanes; ++i) {
            in.push_back(100.0 * static_cast<double>(i));
        }
        const std::vector<const void*> inputs{in.data()};
        const std::vector<void*> outputs{out.data()};
        REQUIRE(program->run({.sizes = {.lanes = lanes}, .inputs = inputs, .outputs = outputs, .watch = watch}));
        return out;
    }
};

constexpr std::int64_t kMany = 1 << 15;  // 256 kB of each lane

TEST_CASE("lanes run together as long as what they carry stays in a cache, and 16 rows are a share") {
    CHECK(lanes_together({.bytes = 1000, .rows = 8}, 64) == 64);
    CHECK(lanes_together({.bytes = 1 << 20, .rows = 8}, 32) == 2);
    CHECK(lanes_together({.bytes = 1 << 30, .rows = 8}, 32) == 2);
    CHECK(lanes_together({.bytes = 1 << 30, .rows = 1}, 64) == 16);
    CHECK(lanes_together({.bytes = 1 << 17, .rows = 8}, 48) == 12);
    CHECK(lanes_together({.bytes = 1 << 30, .rows = 8}, 7) == 7);
}

TEST_CASE("each share has the rows and the draws of its lanes") {
    Rig rig(kMany);
    const std::vector<double> out = rig.run(64);
    CHECK(rig.calls.size() == 4);
    CHECK(std::ranges::all_of(rig.calls, [](const Sizes& sizes) { return sizes.lanes == 16; }));
    for (std::size_t lane = 0; lane < out.size(); ++lane) {
        CHECK(out[lane] == static_cast<double>(lane) + 100.0 * static_cast<double>(2 * lane + 1));
    }
}

TEST_CASE("lanes run together if the loop is short, if somebody watches it, or if a value depends on several lanes") {
    Rig small(10);
    CHECK(small.run(64).back() == 63 + 12700);
    CHECK(small.calls.size() == 1);
    Rig watched(kMany);
    const Watch watch;
    watched.run(64, &watch);
    CHECK(watched.calls.size() == 1);
    Rig mixed(kMany);
    mixed.sketch.special("batch_mean", {}, Type{Kind::kReal, {}}, {1});
    mixed.run(64);
    CHECK(mixed.calls.size() == 1);
}

}  // namespace

}  // namespace lane_shares_test
