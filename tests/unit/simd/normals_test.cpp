// SPDX-License-Identifier: Apache-2.0
// Their values are looked at in tests/unit/random/normal_test.cpp.
#include "base/simd/normals.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

namespace normals_test {

using tenon::simd::Level;

TEST_CASE("normal numbers have the same bits at every level and in every cut") {
    constexpr std::size_t kBlocks = 1003;
    const tn_key key{0x123456789ABCDEF0, 0xFEDCBA9876543210};
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFB}, ~std::uint64_t{0} - 500}) {
        std::vector<double> base(2 * kBlocks);
        tenon::simd::normal_pairs(key, first, kBlocks, base.data(), Level::kBase);
        for (const Level level : {Level::kAvx2, Level::kAvx512}) {
            if (level > tenon::simd::level()) {
                continue;
            }
            CAPTURE(first, static_cast<int>(level));
            std::vector<double> other(2 * kBlocks);
            tenon::simd::normal_pairs(key, first, kBlocks, other.data(), level);
            CHECK(other == base);
            for (std::size_t done = 0, piece = 1; done < kBlocks; done += piece, piece = piece % 9 + 1) {
                piece = std::min(piece, kBlocks - done);
                tenon::simd::normal_pairs(key, first + done, piece, other.data() + 2 * done, level);
            }
            CHECK(other == base);
        }
    }
}

}  // namespace normals_test
