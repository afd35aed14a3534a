// SPDX-License-Identifier: Apache-2.0
#include "base/simd/blocks.hpp"

#include <array>
#include <vector>

#include "support/catch.hpp"

namespace blocks_test {

using tenon::simd::Level;

TEST_CASE("random blocks are those of the contract at every level and in every number") {
    const tn_key key{0x123456789ABCDEF0, 0xFEDCBA9876543210};
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFB}, ~std::uint64_t{0} - 5}) {
        for (std::size_t count = 0; count < 20; ++count) {
            for (const Level level : {Level::kBase, Level::kAvx2, Level::kAvx512}) {
                if (level > tenon::simd::level()) {
                    continue;
                }
                CAPTURE(first, count, static_cast<int>(level));
                std::vector<tn_random_block> blocks(count + 1, tn_random_block{{7, 7, 7, 7}});
                tenon::simd::random_blocks(key, first, count, blocks.data(), level);
                for (std::size_t i = 0; i < count; ++i) {
                    CHECK(std::to_array(blocks[i].word) == std::to_array(tn_philox(key, first + i).word));
                }
                CHECK(blocks[count].word[0] == 7);  // nothing behind them
            }
        }
    }
}

}  // namespace blocks_test
