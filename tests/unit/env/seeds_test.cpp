// SPDX-License-Identifier: Apache-2.0
#include "experience/env/seeds.hpp"

#include <set>

#include "base/random/key.hpp"
#include "support/catch.hpp"

namespace seeds_test {

namespace {

using namespace tenon;

TEST_CASE("a lane's seed depends on key, round and its number alone, and no two are the same") {
    const tn_key key = make_key(5, "env");
    const auto few = lane_seeds(key, 10);
    const auto many = lane_seeds(key, 1000);
    CHECK(std::equal(few.begin(), few.end(), many.begin()));
    std::set<std::uint64_t> all(many.begin(), many.end());
    for (const auto& others :
         {lane_seeds(key, 1000, 1), lane_seeds(make_key(6, "env"), 1000), lane_seeds(make_key(5, "eval/env"), 1000)}) {
        all.insert(others.begin(), others.end());
    }
    CHECK(all.size() == 4000);
}

}  // namespace

}  // namespace seeds_test
