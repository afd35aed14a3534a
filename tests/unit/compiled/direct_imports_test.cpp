// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <array>

#include "support/catch.hpp"

namespace direct_imports_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

// A column of bytes, as ints, as real numbers.
struct Bytes {
    Listing listing;
    std::uint32_t ints = 0;
    std::uint32_t reals = 0;

    Bytes() {
        const std::uint32_t port = add(Segment::kPort, Kind::kInt);
        ints = add(Segment::kScratch, Kind::kInt);
        reals = add(Segment::kScratch, Kind::kReal);
        emit(Code::kImport, Kind::kInt, port, ints);
        emit(Code::kIntToReal, Kind::kReal, ints, reals);
    }

    std::uint32_t add(Segment segment, Kind kind) {
        listing.buffers.push_back({.segment = segment, .kind = kind, .size = 12, .values = {}});
        return static_cast<std::uint32_t>(listing.buffers.size() - 1);
    }

    void emit(Code code, Kind kind, std::uint32_t in, std::uint32_t out) {
        listing.ops.push_back({.code = code, .kind = kind, .in = {dense_view(in, {12})}, .out = dense_view(out, {12})});
    }
};

}  // namespace

TEST_CASE("bytes that are only read as real numbers are brought in as such") {
    Bytes bytes;
    import_directly(bytes.listing, {});
    REQUIRE(bytes.listing.ops.size() == 1);
    CHECK(bytes.listing.ops[0].code == Code::kImport);
    CHECK(bytes.listing.ops[0].kind == Kind::kReal);
    CHECK(bytes.listing.ops[0].out.buffer == bytes.reals);
}

TEST_CASE("bytes that somebody reads as ints stay ints") {
    Bytes seen;
    import_directly(seen.listing, std::array{seen.ints});
    CHECK(seen.listing.ops.size() == 2);

    Bytes twice;
    twice.emit(Code::kIntToReal, Kind::kReal, twice.ints, twice.add(Segment::kScratch, Kind::kReal));
    import_directly(twice.listing, {});
    REQUIRE(twice.listing.ops.size() == 3);
    CHECK(twice.listing.ops[0].kind == Kind::kInt);
}

}  // namespace direct_imports_test
