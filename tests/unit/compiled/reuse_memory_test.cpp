// SPDX-License-Identifier: Apache-2.0
// Where a row is put into a value itself, and where a copy must stay because something reads the value later.
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <vector>

#include "listings.hpp"
#include "support/catch.hpp"

namespace reuse_memory_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

constexpr std::int64_t kPlaces = 5;
constexpr std::int64_t kWidth = 3;

struct Rig {
    Listing listing;
    std::uint32_t index = 0;
    std::uint32_t row = 0;
    std::uint32_t result = 0;

    Rig() {
        index = test::add(listing, 1, Segment::kPort);
        listing.buffers[index].kind = Kind::kInt;
        row = test::add(listing, kWidth, Segment::kPort);
    }
    [[nodiscard]] static View whole(std::uint32_t buffer) { return dense_view(buffer, {kPlaces, kWidth}); }
    std::uint32_t value(Segment segment = Segment::kScratch) { return test::add(listing, kPlaces * kWidth, segment); }
    void map(Code code, std::uint32_t from, std::uint32_t to) { test::emit(listing, code, {whole(from)}, whole(to)); }
    std::uint32_t put(std::uint32_t into) {
        const std::uint32_t out = value();
        map(Code::kCopy, into, out);
        const View chosen{.buffer = index, .offset = 0, .shape = {kWidth}, .strides = {0}};
        const View places{.buffer = out, .offset = 0, .shape = {kWidth, kPlaces}, .strides = {1, kWidth}};
        test::emit(listing, Code::kPut, {chosen, dense_view(row, {kWidth})}, places);
        return out;
    }
    std::ptrdiff_t copies_after(const std::vector<std::uint32_t>& pinned) {
        reuse_memory(listing, pinned);
        return std::ranges::count(listing.ops, Code::kCopy, &Op::code);
    }
};

}  // namespace

TEST_CASE("a row is written in place where nothing reads the value afterwards") {
    Rig rig;
    const std::uint32_t from = rig.value(Segment::kPort);
    const std::uint32_t x = rig.value();
    rig.map(Code::kExp, from, x);
    const std::uint32_t out = rig.put(rig.put(x));
    CHECK(rig.copies_after({out}) == 0);
    CHECK(rig.listing.ops[0].out.buffer == out);
    CHECK(rig.listing.ops[2].out.buffer == out);
}

TEST_CASE("readers of the value come before the row is put, if they do not need the result") {
    Rig rig;
    const std::uint32_t from = rig.value(Segment::kPort);
    const std::uint32_t x = rig.value();
    const std::uint32_t other = rig.value();
    rig.map(Code::kExp, from, x);
    const std::uint32_t out = rig.put(x);
    rig.map(Code::kNeg, x, other);
    CHECK(rig.copies_after({out, other}) == 0);
    CHECK(rig.listing.ops[1].code == Code::kNeg);
    CHECK(rig.listing.ops[1].in[0].buffer == out);
    CHECK(rig.listing.ops[2].code == Code::kPut);
}

TEST_CASE("the copy stays where the value is read with the result, after the run, or is not the program's own") {
    const auto copies = [](bool joint, bool pinned, Segment segment) {
        Rig rig;
        const std::uint32_t x = rig.value(segment);
        const std::uint32_t sum = rig.value();
        if (segment == Segment::kScratch) {
            rig.map(Code::kExp, rig.value(Segment::kPort), x);
        }
        const std::uint32_t out = rig.put(x);
        if (joint) {
            test::emit(rig.listing, Code::kAdd, {Rig::whole(out), Rig::whole(x)}, Rig::whole(sum));
        }
        return rig.copies_after(pinned ? std::vector{out, x} : std::vector{out});
    };
    CHECK(copies(false, false, Segment::kScratch) == 0);
    CHECK(copies(true, false, Segment::kScratch) == 1);
    CHECK(copies(false, true, Segment::kScratch) == 1);
    CHECK(copies(false, false, Segment::kPort) == 1);
    CHECK(copies(false, false, Segment::kParameter) == 1);
}

TEST_CASE("what a scan carries is changed in place unless the step needs it as it was") {
    const auto copies = [](bool needs_old) {
        Rig rig;
        const std::uint32_t carried = rig.value(Segment::kStep);
        const std::uint32_t out = rig.put(carried);
        const std::uint32_t seen = rig.value();
        if (needs_old) {
            test::emit(rig.listing, Code::kAdd, {Rig::whole(out), Rig::whole(carried)}, Rig::whole(seen));
        } else {
            rig.map(Code::kNeg, out, seen);
        }
        rig.map(Code::kCopy, out, carried);
        return rig.copies_after({seen});
    };
    CHECK(copies(false) == 0);
    CHECK(copies(true) == 2);
}

}  // namespace reuse_memory_test
