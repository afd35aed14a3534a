// SPDX-License-Identifier: Apache-2.0
// Lists of seeds as --seeds takes them.
#include "shared/seeds/seed_list.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace seed_list_test {

TEST_CASE("seeds are numbers and ranges in the order of the text") {
    CHECK(*tenon::read_seeds("0-2,11,5-5") == std::vector<std::int64_t>{0, 1, 2, 11, 5});
}

TEST_CASE("anything else is refused") {
    for (const char* text : {"", ",", "1,", "-1", "3-1", "1-", "a", "1 2", "1,1", "0-99999", "99999999999999999999"}) {
        CAPTURE(text);
        CHECK_FALSE(tenon::read_seeds(text).has_value());
    }
}

}  // namespace seed_list_test
