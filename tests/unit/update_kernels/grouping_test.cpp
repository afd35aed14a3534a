// SPDX-License-Identifier: Apache-2.0
// Which works follow each other so that small ones share a launch.
#include "engines/cuda/grouping.hpp"

#include "support/catch.hpp"

namespace grouping_test {
namespace {

using namespace tenon::compiled::device;

Grouped work(bool small, std::uintptr_t reads, std::uintptr_t writes) {
    Grouped out;
    out.small = small;
    out.accesses.reads.push_back({reads, reads + 1});
    out.accesses.writes.push_back({writes, writes + 1});
    return out;
}

using Order = std::vector<std::size_t>;

}  // namespace

TEST_CASE("small works are put off until a large one reads what they write, or is to write what they read or write") {
    const std::vector<Grouped> apart{work(true, 1, 2), work(false, 3, 4), work(true, 5, 6), work(false, 7, 8)};
    CHECK(group(apart) == Order{1, 3, 0, 2});
    const std::vector<Grouped> read{work(true, 1, 2), work(true, 5, 6), work(false, 2, 4), work(true, 7, 8)};
    CHECK(group(read) == Order{0, 1, 2, 3});
    const std::vector<Grouped> over{work(true, 1, 2), work(false, 3, 1), work(true, 5, 6), work(false, 3, 6)};
    CHECK(group(over) == Order{0, 1, 2, 3});
}

TEST_CASE("what small works need of a large one has been computed before, and their order stays") {
    const std::vector<Grouped> works{work(false, 1, 2), work(true, 2, 3), work(false, 4, 5),
                                     work(true, 3, 6),  work(true, 5, 7), work(false, 8, 9)};
    CHECK(group(works) == Order{0, 2, 5, 1, 3, 4});
}

TEST_CASE("a large work that nothing is known of waits for all that were put off") {
    std::vector<Grouped> works{work(true, 1, 2), work(false, 3, 4), work(false, 5, 6)};
    works[2].accesses.known = false;
    CHECK(group(works) == Order{1, 0, 2});
}

}  // namespace grouping_test
