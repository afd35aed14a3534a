// SPDX-License-Identifier: Apache-2.0
// What becomes of a listing before it runs: which columns are computed, in which order, and where results lie.
#include <algorithm>
#include <array>
#include <variant>

#include "base/thread/pool.hpp"
#include "engines/compiled/element.hpp"
#include "engines/compiled/listing_passes.hpp"
#include "engines/compiled/tape.hpp"
#include "support/catch.hpp"
#include "unit/compiled/listings.hpp"

namespace planning_test {

using namespace tenon;
using namespace tenon::compiled;
using test::add;
using test::emit;

namespace {

constexpr std::int64_t kMany = 4096;  // 64 by 64; rather than few: a loop stands right where it can

// y = tanh x, z = y times weights, and from z on the way back the gradient of x.
struct Layer {
    Listing listing;
    std::uint32_t x, weights, one, y, z, square, slope, gradient, result;

    Layer() {
        x = add(listing, kMany, Segment::kKept);
        weights = add(listing, kMany, Segment::kKept);
        one = add(listing, 1, Segment::kKept);
        y = add(listing, kMany);
        z = add(listing, kMany);
        square = add(listing, kMany);
        slope = add(listing, kMany);
        gradient = add(listing, kMany);
        result = add(listing, kMany);
        const View rows = dense_view(y, {1, kMany / 64, 64});
        const View matrix = dense_view(weights, {1, 64, 64});
        emit(listing, Code::kTanh, {dense_view(x, {kMany})}, dense_view(y, {kMany}));
        emit(listing, Code::kSquare, {dense_view(y, {kMany})}, dense_view(square, {kMany}));
        emit(listing, Code::kSub,
             {{.buffer = one, .offset = 0, .shape = {kMany}, .strides = {0}}, dense_view(square, {kMany})},
             dense_view(slope, {kMany}));
        emit(listing, Code::kProduct, {rows, matrix}, dense_view(z, {1, kMany / 64, 64}));
        emit(listing, Code::kProduct, {dense_view(z, {1, kMany / 64, 64}), matrix},
             dense_view(gradient, {1, kMany / 64, 64}));
        emit(listing, Code::kMul, {dense_view(gradient, {kMany}), dense_view(slope, {kMany})},
             dense_view(result, {kMany}));
    }
};

}  // namespace

TEST_CASE("a derivative is computed where it is wanted, in one loop, and is not kept") {
    const Layer network;
    const std::array<std::uint32_t, 1> wanted{network.result};
    const Result<Tape> tape = Tape::make(network.listing, DType::kF32, wanted);
    REQUIRE(tape.has_value());
    const std::vector<Instruction>& order = tape->instructions();
    REQUIRE(order.size() == 4);
    CHECK(std::get<Loop>(order[0].what).steps.size() == 1);
    CHECK(std::holds_alternative<std::uint32_t>(order[1].what));
    CHECK(std::holds_alternative<std::uint32_t>(order[2].what));
    const Loop& last = std::get<Loop>(order[3].what);
    CHECK(last.ops == std::vector<std::uint32_t>{1, 2, 5});
    REQUIRE(last.stores.size() == 1);
    CHECK(last.stores[0].view.buffer == network.result);
}

// The square of y is of the first phase, and only a loop of the second one reads it.
TEST_CASE("an operation is computed in its own phase, also if only later ones read its result") {
    Listing listing;
    const std::uint32_t y = add(listing, kMany, Segment::kKept);
    const std::uint32_t weights = add(listing, kMany, Segment::kKept);
    const std::uint32_t square = add(listing, kMany);
    const std::uint32_t moved = add(listing, kMany);
    const std::uint32_t result = add(listing, kMany);
    const View matrix = dense_view(weights, {1, 64, 64});
    emit(listing, Code::kSquare, {dense_view(y, {kMany})}, dense_view(square, {kMany}));
    emit(listing, Code::kProduct, {matrix, matrix}, dense_view(moved, {1, 64, 64}));
    emit(listing, Code::kMul, {dense_view(square, {kMany}), dense_view(moved, {kMany})}, dense_view(result, {kMany}));
    listing.ops[1].phase = listing.ops[2].phase = 1;
    const std::array<std::uint32_t, 1> wanted{result};
    const Result<Tape> tape = Tape::make(listing, DType::kF32, wanted);
    REQUIRE(tape.has_value());
    std::vector<std::uint32_t> phases(listing.ops.size(), ~0U);  // of the instruction that computes each
    for (const Instruction& each : tape->instructions()) {
        if (const auto* loop = std::get_if<Loop>(&each.what)) {
            for (const std::uint32_t op : loop->ops) {
                phases[op] = each.phase;
            }
        } else {
            phases[std::get<std::uint32_t>(each.what)] = each.phase;
        }
    }
    CHECK(phases == std::vector<std::uint32_t>{0, 1, 1});
}

TEST_CASE("what a loop writes takes the place of what it reads for the last time") {
    const Layer network;
    const std::array<std::uint32_t, 1> wanted{network.result};
    const Result<Tape> tape = Tape::make(network.listing, DType::kF32, wanted);
    REQUIRE(tape.has_value());
    // of the two that end there the first that is read
    const bool in_place = tape->bases()[network.result] == tape->bases()[network.gradient] ||
                          tape->bases()[network.result] == tape->bases()[network.y];
    CHECK(in_place);

    const std::array<std::uint32_t, 3> all{network.result, network.gradient, network.y};
    const Result<Tape> kept = Tape::make(network.listing, DType::kF32, all);
    REQUIRE(kept.has_value());
    CHECK(kept->bases()[network.result] != kept->bases()[network.gradient]);
    CHECK(kept->bases()[network.result] != kept->bases()[network.y]);
}

TEST_CASE("what is read later in the same loop keeps its place") {
    Listing listing;
    const std::uint32_t x = add(listing, kMany, Segment::kKept);
    const std::uint32_t y = add(listing, kMany);
    const std::uint32_t first = add(listing, kMany);
    const std::uint32_t second = add(listing, kMany);
    const auto whole = [](std::uint32_t buffer) { return dense_view(buffer, {kMany}); };
    const View turned{.buffer = y, .offset = 0, .shape = {64, 64}, .strides = {1, 64}};
    emit(listing, Code::kProduct, {dense_view(x, {1, 64, 64}), dense_view(x, {1, 64, 64})}, dense_view(y, {1, 64, 64}));
    emit(listing, Code::kTanh, {whole(y)}, whole(first));
    emit(listing, Code::kSquare, {whole(y)}, whole(second));
    const std::array<std::uint32_t, 2> wanted{first, second};
    const Result<Tape> tape = Tape::make(listing, DType::kF32, wanted);
    REQUIRE(tape.has_value());
    CHECK(tape->bases()[first] != tape->bases()[y]);

    listing.ops[2].in[0] = turned;
    const Result<Tape> other = Tape::make(listing, DType::kF32, wanted);
    REQUIRE(other.has_value());
    CHECK(other->bases()[first] != other->bases()[y]);
}

// A product with the rows given and a loop over its result, computed by so many threads.
std::vector<float> shared_by(unsigned threads, std::int64_t batch, std::int64_t rows) {
    constexpr std::int64_t kWidth = 96;
    Listing listing;
    const std::uint32_t left = add(listing, batch * rows * kWidth);
    const std::uint32_t right = add(listing, batch * kWidth * kWidth);
    const std::uint32_t out = add(listing, batch * rows * kWidth);
    const std::uint32_t result = add(listing, batch * rows * kWidth);
    Op draw{.code = Code::kDraw, .kind = Kind::kReal, .in = {}, .out = dense_view(left, {batch * rows * kWidth})};
    draw.draw = {.key = {.seed = 1, .stream = 2}, .rows = static_cast<std::uint64_t>(batch * rows), .width = kWidth};
    listing.ops.push_back(draw);
    draw.out = dense_view(right, {batch * kWidth * kWidth});
    draw.draw.rows = static_cast<std::uint64_t>(batch * kWidth);
    draw.draw.key.stream = 3;
    listing.ops.push_back(draw);
    View turned = dense_view(right, {batch, kWidth, kWidth});
    std::swap(turned.strides[1], turned.strides[2]);
    emit(listing, Code::kProduct, {dense_view(left, {batch, rows, kWidth}), turned},
         dense_view(out, {batch, rows, kWidth}));
    emit(listing, Code::kTanh, {dense_view(out, {batch * rows * kWidth})}, dense_view(result, {batch * rows * kWidth}));
    Pool pool(threads);
    Result<Tape> tape = Tape::make(listing, DType::kF32, std::array{result}, &pool);
    REQUIRE(tape.has_value());
    tape->begin(Call(), Learner());
    tape->run_phase(0, Call());
    const auto* values = static_cast<const float*>(tape->bases()[result]);
    return {values, values + batch * rows * kWidth};
}

TEST_CASE("the number of threads changes no bit") {
    for (const std::int64_t batch : {1, 2, 3}) {
        for (const std::int64_t rows : {27, 48, 49, 50, 100, 131, 333}) {
            CAPTURE(batch, rows);
            const std::vector<float> one = shared_by(1, batch, rows);
            CHECK(shared_by(2, batch, rows) == one);
            CHECK(shared_by(3, batch, rows) == one);
            CHECK(shared_by(5, batch, rows) == one);
        }
    }
}

TEST_CASE("columns of a product that nobody reads are not computed") {
    Listing listing;
    const std::uint32_t left = add(listing, std::int64_t{10} * 6, Segment::kKept);
    const std::uint32_t right = add(listing, std::int64_t{6} * 8, Segment::kKept);
    const std::uint32_t bias = add(listing, 8, Segment::kKept);
    const std::uint32_t out = add(listing, std::int64_t{10} * 8);
    const std::uint32_t total = add(listing, 8);
    const std::uint32_t result = add(listing, 2);
    emit(listing, Code::kProduct,
         {dense_view(left, {1, 10, 6}), dense_view(right, {1, 6, 8}), dense_view(bias, {1, 8})},
         dense_view(out, {1, 10, 8}));
    emit(listing, Code::kSum, {dense_view(out, {10, 8})}, dense_view(total, {1, 8}));
    emit(listing, Code::kCopy, {{.buffer = total, .offset = 3, .shape = {2}, .strides = {1}}}, dense_view(result, {2}));

    Listing all = listing;
    narrow_columns(all, std::array{total});
    CHECK(all.ops[0].out.shape == std::vector<std::int64_t>{1, 10, 8});

    narrow_columns(listing, std::array{result});
    CHECK(listing.ops[0].in[1].shape == std::vector<std::int64_t>{1, 6, 2});
    CHECK(listing.ops[0].in[1].offset == 3);
    CHECK(listing.ops[0].in[2].offset == 3);
    CHECK(listing.ops[0].out.shape == std::vector<std::int64_t>{1, 10, 2});
    CHECK(listing.ops[0].out.strides == std::vector<std::int64_t>{80, 8, 1});
    CHECK(listing.ops[1].in[0].shape == std::vector<std::int64_t>{10, 2});
    CHECK(listing.ops[1].out.offset == 3);
}

namespace {

// A layer forward, z = relu of rows times weights, and a gradient back through it to its rows.
struct Through {
    Listing listing;
    std::uint32_t rows, weights, zero, product, z, mask, back, result;

    Through() {
        constexpr std::int64_t kSize = std::int64_t{8} * 8;
        rows = add(listing, kSize, Segment::kKept);
        weights = add(listing, kSize, Segment::kKept);
        zero = add(listing, 1, Segment::kConstant);
        listing.buffers[zero].values = stored(0.0, DType::kF32);
        for (std::uint32_t* each : {&product, &z, &mask, &back, &result}) {
            *each = add(listing, kSize);
        }
        const auto square = [](std::uint32_t buffer) { return dense_view(buffer, {1, 8, 8}); };
        const auto flat = [](std::uint32_t buffer) { return dense_view(buffer, {8, 8}); };
        const View nothing{.buffer = zero, .offset = 0, .shape = {8, 8}, .strides = {0, 0}};
        emit(listing, Code::kProduct, {square(rows), square(weights)}, square(product));
        emit(listing, Code::kRelu, {flat(product)}, flat(z));
        emit(listing, Code::kGt, {flat(z), nothing}, flat(mask));
        emit(listing, Code::kProduct, {square(rows), square(weights)}, square(back));
        emit(listing, Code::kWhere, {flat(mask), flat(back), nothing}, flat(result));
    }
};

}  // namespace

TEST_CASE("activations and their derivatives are taken to a product's elements as it stores them") {
    Through through;
    attach_tails(through.listing, DType::kF32, std::array{through.result});
    const std::vector<Op>& ops = through.listing.ops;
    REQUIRE(ops.size() == 2);
    CHECK(ops[0].tail == Tail::kRelu);
    CHECK(ops[0].out.buffer == through.z);
    CHECK(tail_input_of(ops[0]) == nullptr);
    CHECK(ops[1].tail == Tail::kWherePositive);
    CHECK(ops[1].out.buffer == through.result);
    REQUIRE(tail_input_of(ops[1]) != nullptr);
    CHECK(tail_input_of(ops[1])->buffer == through.z);
    CHECK(tail_input_of(ops[1])->shape == std::vector<std::int64_t>{1, 8, 8});
    CHECK(bias_of(ops[1]) == nullptr);
}

TEST_CASE("for a device tanh is taken to a product's elements, too") {
    for (const RunsOn where : {RunsOn::kCpu, RunsOn::kDevice}) {
        Through through;
        through.listing.ops[1].code = Code::kTanh;
        attach_tails(through.listing, DType::kF32, std::array{through.result}, where);
        const Op& first = through.listing.ops.front();
        CHECK(first.tail == (where == RunsOn::kDevice ? Tail::kTanh : Tail::kNone));
        CHECK(first.out.buffer == (where == RunsOn::kDevice ? through.z : through.product));
        CHECK(tail_input_of(first) == nullptr);
    }
}

TEST_CASE("a product whose own result somebody reads keeps it") {
    Through through;
    attach_tails(through.listing, DType::kF32, std::array{through.result, through.product, through.mask});
    REQUIRE(through.listing.ops.size() == 4);
    CHECK(through.listing.ops[0].tail == Tail::kNone);
    CHECK(through.listing.ops[1].code == Code::kRelu);
    CHECK(through.listing.ops[2].code == Code::kGt);
    CHECK(through.listing.ops[3].tail == Tail::kWherePositive);

    Through twice;
    emit(twice.listing, Code::kNeg, {dense_view(twice.back, {8, 8})}, dense_view(add(twice.listing, 64), {8, 8}));
    attach_tails(twice.listing, DType::kF32, std::array{twice.result});
    CHECK(std::ranges::count(twice.listing.ops, Tail::kWherePositive, &Op::tail) == 0);

    Through later;
    later.listing.ops.back().phase = 1;  // the parameters have moved by then
    attach_tails(later.listing, DType::kF32, std::array{later.result});
    CHECK(std::ranges::count(later.listing.ops, Tail::kWherePositive, &Op::tail) == 0);

    Through other;
    other.listing.buffers[other.zero].values = stored(1.0, DType::kF32);
    attach_tails(other.listing, DType::kF32, std::array{other.result});
    CHECK(std::ranges::count(other.listing.ops, Tail::kWherePositive, &Op::tail) == 0);

    Through below;
    below.listing.buffers[below.zero].values = stored(-0.0, DType::kF32);
    attach_tails(below.listing, DType::kF32, std::array{below.result});
    CHECK(std::ranges::count(below.listing.ops, Tail::kWherePositive, &Op::tail) == 0);

    Through part;  // of what others write, too
    part.listing.buffers[part.result].size *= 2;
    part.listing.ops.back().out.offset = 64;
    attach_tails(part.listing, DType::kF32, std::array{part.result});
    CHECK(std::ranges::count(part.listing.ops, Tail::kWherePositive, &Op::tail) == 0);
}

TEST_CASE("rows of a few elements are written out if a loop over rows can have them") {
    constexpr std::int64_t kRows = 100;
    const std::vector<std::int64_t> all{kRows, 4};
    Listing listing;
    const std::uint32_t x = add(listing, kRows * 4, Segment::kPort);
    const std::uint32_t one = add(listing, 1, Segment::kConstant);
    const std::uint32_t number = add(listing, kRows, Segment::kPort);
    const std::uint32_t scaled = add(listing, kRows * 4);
    const std::uint32_t moved = add(listing, kRows * 4);
    emit(listing, Code::kDiv, {dense_view(x, all), {.buffer = one, .offset = 0, .shape = all, .strides = {0, 0}}},
         dense_view(scaled, all));

    Listing alone = listing;
    write_out_short_rows(alone, std::array{scaled});
    CHECK(alone.ops.size() == 1);

    emit(listing, Code::kSub,
         {dense_view(scaled, all), {.buffer = number, .offset = 0, .shape = all, .strides = {1, 0}}},
         dense_view(moved, all));
    write_out_short_rows(listing, std::array{moved});
    CHECK(listing.ops.size() == 12);  // four quotients, four differences, and their copies to where they are read
    CHECK(listing.buffers[scaled].size == 0);
    CHECK(listing.buffers[moved].size == kRows * 4);
    const Result<Tape> tape = Tape::make(std::move(listing), DType::kF32, std::array{moved});
    REQUIRE(tape);
    CHECK(tape->instructions().size() == 1);
}

TEST_CASE("several rows of two to four elements are written out, and no others") {
    for (const std::int64_t rows : {1, 2, 100}) {
        for (const std::int64_t columns : {1, 2, 3, 4, 5, 8}) {
            CAPTURE(rows, columns);
            const std::vector<std::int64_t> all{rows, columns};
            Listing listing;
            const std::uint32_t x = add(listing, rows * columns, Segment::kPort);
            const std::uint32_t number = add(listing, rows, Segment::kPort);
            const std::uint32_t moved = add(listing, rows * columns);
            emit(listing, Code::kSub,
                 {dense_view(x, all), {.buffer = number, .offset = 0, .shape = all, .strides = {1, 0}}},
                 dense_view(moved, all));
            write_out_short_rows(listing, std::array{moved});
            const bool is_written_out = rows > 1 && columns >= 2 && columns <= 4;
            CHECK(std::ssize(listing.ops) == (is_written_out ? 2 * columns : 1));  // each is computed and copied
        }
    }
}

TEST_CASE("an element that an index selects of a row is looked for among two to four of them, otherwise gathered") {
    constexpr std::int64_t kRows = 100;
    for (const std::int64_t columns : {1, 2, 4, 5}) {
        CAPTURE(columns);
        Listing listing;
        const std::uint32_t x = add(listing, kRows * columns, Segment::kPort);
        const std::uint32_t index = add(listing, kRows, Segment::kPort);
        const std::uint32_t chosen = add(listing, kRows);
        emit(listing, Code::kGather, {dense_view(x, {kRows, columns}), dense_view(index, {kRows})},
             dense_view(chosen, {kRows}));
        write_out_short_rows(listing, std::array{chosen});
        const bool is_written_out = columns >= 2 && columns <= 4;
        CHECK(std::ranges::count(listing.ops, Code::kWhere, &Op::code) == (is_written_out ? columns - 1 : 0));
        CHECK(listing.ops.back().out.buffer == chosen);
    }
}

}  // namespace planning_test
