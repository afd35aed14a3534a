// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "engines/compiled/element.hpp"
#include "engines/compiled/executor.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace constants_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

struct Constants {
    DType real = DType::kF32;
    Listing listing{};

    std::uint32_t constant(double value) {
        return add({.segment = Segment::kConstant, .kind = Kind::kReal, .size = 1, .values = stored(value, real)});
    }
    std::uint32_t whole(std::int64_t value) {
        return add(
            {.segment = Segment::kConstant, .kind = Kind::kInt, .size = 1, .values = stored(std::span(&value, 1))});
    }
    [[nodiscard]] double value(std::uint32_t buffer) const {
        return get(listing.buffers[buffer].values.data(), listing.buffers[buffer].kind, real);
    }
    std::uint32_t add(Buffer buffer) {
        listing.buffers.push_back(std::move(buffer));
        return static_cast<std::uint32_t>(listing.buffers.size() - 1);
    }
    std::uint32_t emit(Code code, Kind kind, std::vector<std::uint32_t> in, Kind result) {
        const std::uint32_t out = add({.segment = Segment::kScratch, .kind = result, .size = 1, .values = {}});
        Op op{.code = code, .kind = kind, .in = {}, .out = dense_view(out, {})};
        for (const std::uint32_t buffer : in) {
            op.in.push_back(dense_view(buffer, {}));
        }
        listing.ops.push_back(std::move(op));
        return out;
    }
};

}  // namespace

TEST_CASE("what follows from constants alone is a constant, in the bits of the run's numbers") {
    for (const DType real : {DType::kF32, DType::kF64}) {
        Constants c{.real = real};
        const std::uint32_t sum = c.emit(Code::kAdd, Kind::kReal, {c.constant(0.1), c.constant(0.2)}, Kind::kReal);
        const std::uint32_t less = c.emit(Code::kLt, Kind::kReal, {sum, c.constant(0.3)}, Kind::kBool);
        const std::uint32_t chosen = c.emit(Code::kWhere, Kind::kInt, {less, c.whole(7), c.whole(8)}, Kind::kInt);
        fold_constants(c.listing, real, false);
        CHECK(c.listing.ops.empty());
        for (const std::uint32_t buffer : {sum, less, chosen}) {
            CHECK(c.listing.buffers[buffer].segment == Segment::kConstant);
        }
        const bool single = real == DType::kF32;
        CHECK(c.value(sum) == (single ? static_cast<double>(0.1F + 0.2F) : 0.1 + 0.2));
        CHECK(c.value(chosen) == (c.value(less) != 0 ? 7 : 8));
    }
}

TEST_CASE("what a call brings along is no constant, nor is what is written twice") {
    Constants c;
    const std::uint32_t live = c.add({.segment = Segment::kLive, .kind = Kind::kReal, .size = 1, .values = {}});
    c.emit(Code::kAdd, Kind::kReal, {live, c.constant(1)}, Kind::kReal);
    const std::uint32_t twice = c.emit(Code::kCopy, Kind::kReal, {c.constant(1)}, Kind::kReal);
    c.listing.ops.push_back(c.listing.ops.back());
    fold_constants(c.listing, DType::kF32, false);
    CHECK(c.listing.ops.size() == 3);
    CHECK(c.listing.buffers[twice].segment == Segment::kScratch);
}

namespace {

// What a program writes, computed by both executors in turn.
std::vector<std::vector<double>> written(const test::Sketch& sketch, std::vector<test::Memory> columns,
                                         const std::vector<test::Memory>& out, DType real) {
    std::vector<std::vector<double>> all;
    for (const bool compiled : {false, true}) {
        Learner learner;
        learner.real = real;
        ProgramSpec spec{.name = "forward", .graph = &sketch.graph, .inputs = {}, .outputs = {}};
        std::vector<const void*> inputs;
        for (const test::Memory& column : columns) {
            spec.inputs.push_back(column.port);
            inputs.push_back(column.data());
        }
        std::vector<test::Memory> results = out;
        std::vector<void*> outputs;
        for (test::Memory& result : results) {
            spec.outputs.push_back(result.port);
            outputs.push_back(result.data());
        }
        const auto by = compiled ? make_executor(test::executor(real)) : test::executor(real);
        auto program = by->forward(spec, learner);
        INFO((program ? std::string{} : program.error().sentence));
        REQUIRE(program.has_value());
        Call call{.sizes = {.rows = static_cast<std::int64_t>(columns[0].values().size())},
                  .inputs = inputs,
                  .outputs = outputs};
        REQUIRE((*program)->run(call).has_value());
        for (const test::Memory& result : results) {
            all.push_back(result.values());
        }
    }
    return all;
}

}  // namespace

TEST_CASE("whole numbers that no double holds are exact constants") {
    constexpr std::int64_t kLarge = (std::int64_t{1} << 53U) + 1;
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    test::Sketch sketch;
    const graph::Type whole{Kind::kInt, {}};
    const graph::Type rows{Kind::kInt, {graph::kRows}};
    const auto x = sketch.column("x", rows);
    const auto large = sketch.special("int_constant", {{"value", kLarge}}, whole);
    const auto largest = sketch.special("int_constant", {{"value", kLargest}}, whole);
    // folded: 2^63 - 1 - (2^53 + 1)
    const auto between = sketch.add("sub", {largest, large});
    sketch.write("is_large", sketch.add("eq", {x, large}));
    sketch.write("is_largest", sketch.add("eq", {x, largest}));
    sketch.write("is_between", sketch.add("eq", {x, between}));
    test::Memory column = test::memory("x", DType::kI64, {}, {0, 0, 0, 0});
    column.i64 = {kLarge, kLarge - 1, kLargest, kLargest - kLarge};
    const auto flags = [](const char* key) { return test::memory(key, DType::kBool, {}, {0, 0, 0, 0}); };
    for (const DType real : {DType::kF32, DType::kF64}) {
        const auto all = written(sketch, {column}, {flags("is_large"), flags("is_largest"), flags("is_between")}, real);
        for (const std::size_t executor : {0, 3}) {
            CAPTURE(executor);
            CHECK(all[executor] == std::vector<double>{1, 0, 0, 0});
            CHECK(all[executor + 1] == std::vector<double>{0, 0, 1, 0});
            CHECK(all[executor + 2] == std::vector<double>{0, 0, 0, 1});
        }
    }
}

TEST_CASE("0 and -0 are different constants") {
    test::Sketch sketch;
    const auto x = sketch.column("x", graph::Type{Kind::kReal, {graph::kRows}});
    const auto zero = sketch.constant(0.0);
    const auto below = sketch.constant(-0.0);
    const auto one = sketch.constant(1.0);
    // folded, and computed
    sketch.write("above", sketch.add("mul", {x, sketch.add("div", {one, zero})}));
    sketch.write("below", sketch.add("mul", {x, sketch.add("div", {one, below})}));
    sketch.write("by_below", sketch.add("div", {x, below}));
    const auto infinity = std::numeric_limits<double>::infinity();
    for (const DType real : {DType::kF32, DType::kF64}) {
        const auto out = [&](const char* key) { return test::memory(key, real, {}, {0, 0}); };
        const auto all = written(sketch, {test::memory("x", real, {}, {1, -2})},
                                 {out("above"), out("below"), out("by_below")}, real);
        for (const std::size_t executor : {0, 3}) {
            CAPTURE(executor);
            CHECK(all[executor] == std::vector<double>{infinity, -infinity});
            CHECK(all[executor + 1] == std::vector<double>{-infinity, infinity});
            CHECK(all[executor + 2] == std::vector<double>{-infinity, infinity});
        }
    }
}

}  // namespace constants_test
