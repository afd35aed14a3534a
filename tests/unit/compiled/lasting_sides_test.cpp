// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <vector>

#include "base/data/slab.hpp"
#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "engines/compiled/kernels/kernels.hpp"
#include "support/catch.hpp"

namespace lasting_sides_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

constexpr std::int64_t kRows = 7;
constexpr std::int64_t kColumns = 45;
constexpr std::int64_t kK = 670;  // of several blocks

std::uint32_t add(Listing& listing, Segment segment, std::int64_t size) {
    listing.buffers.push_back({.segment = segment, .kind = Kind::kReal, .size = size, .values = {}});
    return static_cast<std::uint32_t>(listing.buffers.size() - 1);
}

// Rows [rows, kK] times what lies turned around in `side`.
Listing product_with(Segment side, std::int64_t rows) {
    Listing out;
    const std::uint32_t a = add(out, Segment::kKept, rows * kK);
    const std::uint32_t b = add(out, side, kColumns * kK);
    const std::uint32_t c = add(out, Segment::kScratch, rows * kColumns);
    const View turned{.buffer = b, .offset = 0, .shape = {1, kK, kColumns}, .strides = {kColumns * kK, 1, kK}};
    out.ops.push_back({.code = Code::kProduct,
                       .in = {dense_view(a, {1, rows, kK}), turned},
                       .out = dense_view(c, {1, rows, kColumns})});
    keep_sides(out, DType::kF32);
    return out;
}

}  // namespace

TEST_CASE("the side of a product stays laid out where it is a parameter, and rows are few") {
    const Listing few = product_with(Segment::kParameter, kRows);
    REQUIRE(few.ops[0].lasting == 4);
    CHECK(few.buffers[4].segment == Segment::kKept);
    CHECK(few.buffers[4].size == kernels(DType::kF32).product_lasting(kRows, kColumns, kK));
    CHECK(product_with(Segment::kParameter, 64).ops[0].lasting == 4);
    CHECK(product_with(Segment::kParameter, 65).ops[0].lasting == 0);
    CHECK(product_with(Segment::kParameter, 1).ops[0].lasting == 0);  // nothing is laid out
    CHECK(product_with(Segment::kScratch, kRows).ops[0].lasting == 0);
}

TEST_CASE("a side that stays laid out is laid out again when it has changed") {
    std::vector<float> a(kRows * kK);
    std::vector<float> b(kColumns * kK);
    fill_normal(make_key(7, "a"), 0, a.data(), a.size());
    fill_normal(make_key(7, "b"), 0, b.data(), b.size());
    const Kernels& own = kernels(DType::kF32);
    auto scratch = Slab::make(own.product_scratch(kColumns, kK, kRows));
    auto lasting = Slab::make(static_cast<std::size_t>(own.product_lasting(kRows, kColumns, kK)) * sizeof(float));
    REQUIRE(scratch.has_value());
    REQUIRE(lasting.has_value());
    const auto result = [&](void* kept, bool stands = false) {
        std::vector<float> c(kRows * kColumns);
        Product task{.m = kRows, .n = kColumns, .k = kK, .a = a.data(), .a_strides = {kRows * kK, kK, 1}};
        task.b = b.data();
        task.b_strides = {kColumns * kK, 1, kK};
        task.c = c.data();
        task.c_row = kColumns;
        task.scratch = scratch->data();
        task.lasting = kept;
        task.lasting_stands = stands;
        own.product(task);
        return c;
    };
    for (const float last : {1.0F, 2.0F, 2.0F, 3.0F}) {
        b.back() = last;
        CAPTURE(last);
        CHECK(result(lasting->data()) == result(nullptr));
    }
    const std::vector<float> before = result(lasting->data());
    b.front() += 1;
    CHECK(result(lasting->data(), true) == before);  // as it was told
    CHECK(result(lasting->data()) != before);
}

}  // namespace lasting_sides_test
