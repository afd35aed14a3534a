// SPDX-License-Identifier: Apache-2.0
// Which episodes a storage holds.
#include "experience/dataset/episodes.hpp"

#include "support/catch.hpp"
#include "unit/dataset/two_lanes.hpp"

namespace episodes_test {

using tenon::episodes_of;
using tenon::StoredEpisode;
using tenon::test::two_lanes;

TEST_CASE("episodes are in the order in which they begin, the last of a lane open") {
    const tenon::Storage storage = two_lanes(16, 6);
    const std::vector<StoredEpisode> found = episodes_of(storage);
    REQUIRE(found.size() == 4);
    CHECK((found[0].lane == 0 && found[0].length == 3 && found[0].terminated && found[0].is_whole()));
    CHECK((found[1].lane == 1 && found[1].length == 6 && !found[1].ends() && found[1].begins));
    CHECK((found[2].lane == 0 && found[2].first == 3 && found[2].length == 2 && found[2].truncated));
    CHECK((found[3].lane == 0 && found[3].first == 5 && found[3].length == 1 && !found[3].ends()));
}

TEST_CASE("in a ring that has wrapped, an episode without its beginning is a piece") {
    const tenon::Storage storage = two_lanes(5, 6);  // holds the transitions of steps 2 to 5
    const std::vector<StoredEpisode> found = episodes_of(storage);
    REQUIRE(found.size() == 4);
    CHECK((found[0].lane == 0 && found[0].first == 2 && found[0].length == 1 && !found[0].begins));
    CHECK_FALSE(found[0].is_whole());
    CHECK((found[1].lane == 1 && found[1].length == 4 && !found[1].begins));
    CHECK((found[2].is_whole() && found[2].length == 2));
    std::vector<std::uint32_t> slots;
    tenon::each_slot(storage, found[2], [&](std::uint32_t slot) { slots.push_back(slot); });
    CHECK(slots == std::vector<std::uint32_t>{3, 4});
}

}  // namespace episodes_test
