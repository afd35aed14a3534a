// SPDX-License-Identifier: Apache-2.0
#include "compiled/constants.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace tenon;
using namespace tenon::compiled;

namespace {

struct Constants {
    Listing listing;

    std::uint32_t constant(double value, Kind kind = Kind::kReal) {
        return add({.home = Home::kConstant, .kind = kind, .size = 1, .values = {value}});
    }
    std::uint32_t add(Buffer buffer) {
        listing.buffers.push_back(std::move(buffer));
        return static_cast<std::uint32_t>(listing.buffers.size() - 1);
    }
    std::uint32_t emit(Code code, Kind kind, std::vector<std::uint32_t> in, Kind result) {
        const std::uint32_t out = add({.home = Home::kScratch, .kind = result, .size = 1, .values = {}});
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
        Constants c;
        const std::uint32_t sum = c.emit(Code::kAdd, Kind::kReal, {c.constant(0.1), c.constant(0.2)}, Kind::kReal);
        const std::uint32_t less = c.emit(Code::kLt, Kind::kReal, {sum, c.constant(0.3)}, Kind::kBool);
        const std::uint32_t chosen =
            c.emit(Code::kWhere, Kind::kInt, {less, c.constant(7, Kind::kInt), c.constant(8, Kind::kInt)}, Kind::kInt);
        fold_constants(c.listing, real);
        CHECK(c.listing.ops.empty());
        for (const std::uint32_t buffer : {sum, less, chosen}) {
            CHECK(c.listing.buffers[buffer].home == Home::kConstant);
        }
        const bool single = real == DType::kF32;
        CHECK(c.listing.buffers[sum].values[0] == (single ? static_cast<double>(0.1F + 0.2F) : 0.1 + 0.2));
        CHECK(c.listing.buffers[chosen].values[0] == (c.listing.buffers[less].values[0] != 0 ? 7 : 8));
    }
}

TEST_CASE("what a call brings along is no constant, nor is what is written twice") {
    Constants c;
    const std::uint32_t live = c.add({.home = Home::kLive, .kind = Kind::kReal, .size = 1, .values = {}});
    c.emit(Code::kAdd, Kind::kReal, {live, c.constant(1)}, Kind::kReal);
    const std::uint32_t twice = c.emit(Code::kCopy, Kind::kReal, {c.constant(1)}, Kind::kReal);
    c.listing.ops.push_back(c.listing.ops.back());
    fold_constants(c.listing, DType::kF32);
    CHECK(c.listing.ops.size() == 3);
    CHECK(c.listing.buffers[twice].home == Home::kScratch);
}
