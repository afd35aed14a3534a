// SPDX-License-Identifier: Apache-2.0
#include "base/random/key.hpp"

#include <set>
#include <string>

#include "support/catch.hpp"

namespace key_test {

using namespace tenon;

TEST_CASE("keys never change between versions") {
    // Worked out apart from this code, in Python, from the definition in key.hpp.
    CHECK(make_key(7, "").seed == 7);
    CHECK(make_key(7, "").stream == 0xf52a15e9a9b5e89b);
    CHECK(make_key(7, "env").stream == 0x3a651e1531c71402);
    CHECK(make_key(0, "policy.actor/init").stream == 0x09b059b64f8b00f7);
}

TEST_CASE("names that differ little have streams that differ") {
    std::set<std::uint64_t> streams;
    for (int i = 0; i < 10'000; ++i) {
        streams.insert(make_key(1, "lane/" + std::to_string(i)).stream);
    }
    CHECK(streams.size() == 10'000);
}

}  // namespace key_test
