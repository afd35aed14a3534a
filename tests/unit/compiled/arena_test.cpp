// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/arena.hpp"

#include "base/random/key.hpp"
#include "support/catch.hpp"
#include "tenon/abi/random.h"

namespace arena_test {

using namespace tenon;
using namespace tenon::compiled;

TEST_CASE("what is alive at the same time does not overlap, and what is not shares memory") {
    std::vector<Lifetime> all;
    std::size_t sum = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const tn_random_block block = tn_philox(make_key(1, "lifetimes"), i);
        const std::size_t first = block.word[0] % 100;
        all.push_back({.bytes = 1 + block.word[1] % 4096, .first = first, .last = first + block.word[2] % 10});
        sum += all.back().bytes;
    }
    const std::size_t total = place_lifetimes(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i].offset % 64 == 0);
        CHECK(all[i].offset + all[i].bytes <= total);
        for (std::size_t j = 0; j < i; ++j) {
            const bool together = all[i].first <= all[j].last && all[j].first <= all[i].last;
            const bool apart =
                all[i].offset + all[i].bytes <= all[j].offset || all[j].offset + all[j].bytes <= all[i].offset;
            CHECK((!together || apart));
        }
    }
    CHECK(total < sum / 4);
}

}  // namespace arena_test
