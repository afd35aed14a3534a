// SPDX-License-Identifier: Apache-2.0
// The known-answer vectors of Random123 (philox 4 32 10).
#include <array>

#include "support/catch.hpp"
#include "tenon/abi/random.h"

namespace philox_test {

namespace {

void check(std::uint64_t counter, tn_key key, std::array<std::uint32_t, 4> expected) {
    const tn_random_block block = tn_philox(key, counter);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(block.word[i] == expected[i]);
    }
}

}  // namespace

TEST_CASE("philox4x32-10 gives the published answers") {
    check(0, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    check(~std::uint64_t{0}, {~std::uint64_t{0}, ~std::uint64_t{0}}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    // Counter words 243f6a88 85a308d3 13198a2e 03707344, key words a4093822 299f31d0, the least significant first.
    check(0x85a308d3243f6a88, {0x299f31d0a4093822, 0x0370734413198a2e},
          {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform numbers stay below 1 and indices below n") {
    CHECK(tn_uniform(0, 0) == 0.0);
    CHECK(tn_uniform(0xffffffff, 0xffffffff) == 1.0 - 0x1p-53);
    CHECK(tn_uniform(0x80000000, 0) == 0.5);
    CHECK(tn_below(0xffffffff, 7) == 6);
    CHECK(tn_below(0, 7) == 0);
}

}  // namespace philox_test
