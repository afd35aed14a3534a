// SPDX-License-Identifier: Apache-2.0
#include "shared/http/target.hpp"

#include "support/catch.hpp"

namespace tenon::target_test {

TEST_CASE("a target is decoded into a path and parameters") {
    const auto target = read_target("/api/curves?metric=rollout%2Fep_rew_mean&x=a+b&x=c&empty");
    REQUIRE(target);
    CHECK(target->path == "/api/curves");
    CHECK(target->query.at("metric") == "rollout/ep_rew_mean");
    CHECK(target->query.at("x") == "c");
    CHECK(target->query.at("empty").empty());
}

TEST_CASE("a target never leads out of a folder") {
    for (const char* text : {"",
                             "x",
                             "*",
                             "http://example.com/",
                             "/..",
                             "/../etc/passwd",
                             "/a/../b",
                             "/%2e%2e/x",
                             "/a/%2E%2e",
                             "/./a",
                             "//etc/passwd",
                             "/a//b",
                             "/a%2f..%2fb",
                             "/a\\..\\b",
                             "/a%5cb",
                             "/a%00b",
                             "/a%0d%0aSet-Cookie:x",
                             "/%",
                             "/%4",
                             "/%zz",
                             "/%-1",
                             "/a?%",
                             "/a?x=%g0",
                             "/a?x=%00"}) {
        INFO(text);
        CHECK_FALSE(read_target(text));
    }
}

TEST_CASE("a target with too many parameters is refused") {
    std::string text = "/a?";
    for (int i = 0; i < 40; ++i) {
        text += "k" + std::to_string(i) + "=1&";
    }
    CHECK_FALSE(read_target(text));
}

}  // namespace tenon::target_test
