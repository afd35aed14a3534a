// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/loop_steps.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "unit/compiled/listings.hpp"

namespace loop_steps_test {

using namespace tenon;
using namespace tenon::compiled;
using test::add;
using test::emit;

constexpr std::int64_t kMany = 4096;

TEST_CASE("a kernel has room for so many values of a loop at the same time") {
    for (const std::int64_t many : {60, 70}) {
        Listing listing;
        const std::uint32_t y = add(listing, kMany, Segment::kPort);
        std::vector<std::uint32_t> values;
        for (std::int64_t i = 0; i < many; ++i) {
            const std::uint32_t x = add(listing, kMany, Segment::kPort);
            values.push_back(add(listing, kMany));
            emit(listing, Code::kMul, {dense_view(x, {kMany}), dense_view(y, {kMany})},
                 dense_view(values.back(), {kMany}));
        }
        std::uint32_t total = values.back();
        for (std::size_t i = values.size() - 1; i-- > 0;) {
            const std::uint32_t next = add(listing, kMany);
            emit(listing, Code::kAdd, {dense_view(total, {kMany}), dense_view(values[i], {kMany})},
                 dense_view(next, {kMany}));
            total = next;
        }
        const Result<Tape> tape = Tape::make(std::move(listing), DType::kF32, std::array{total});
        REQUIRE(tape);
        CHECK(device::has_room(*tape) == (many == 60));
    }
}

}  // namespace loop_steps_test
