// SPDX-License-Identifier: Apache-2.0
// Mistakes of authors in C: each is one sentence at the author's line.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "build_fixture.hpp"
#include "in_c.hpp"
#include "support/catch.hpp"

namespace tenon::test {

inline constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
inline const std::vector<graph::Dim> kRows = {graph::kRows};
inline const std::vector<graph::Dim> kSequences = {graph::kTime, graph::kLanes};

struct Wrong {
    const char* what;
    AuthorInC::Body calls;
    const char* sentence;
    bool has_line = true;  // only calls with a node have one
};

inline void check_refused(const std::vector<Wrong>& all, const std::vector<graph::Dim>& leading) {
    using Catch::Matchers::ContainsSubstring;
    using Catch::Matchers::StartsWith;
    for (const Wrong& wrong : all) {
        DYNAMIC_SECTION(wrong.what) {
            World world;
            AuthorInC author(wrong.calls);
            world.build(author.unit(), "update", leading);
            for (const Problem& problem : world.problems) {
                UNSCOPED_INFO(problem.sentence);
            }
            REQUIRE(world.problems.size() == 1);
            const Problem& problem = world.problems.front();
            CHECK_THAT(problem.sentence, StartsWith("test/in_c, update: ") && ContainsSubstring(wrong.sentence));
            CHECK(problem.fault == Fault::kPlugin);
            CHECK(problem.place.line == (wrong.has_line ? kLineInC : 0));
        }
    }
}

}  // namespace tenon::test
