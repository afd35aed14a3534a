// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/group_naming.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace short_values_test {

using tenon::short_values;
using Values = std::vector<std::string>;

TEST_CASE("fractions have four digits") {
    CHECK(short_values({"0.0014008370581921155", "-12.3456", "1.23456e-07", "0.30000000000000004"}) ==
          Values{"0.001401", "-12.35", "1.235e-07", "0.3"});
}

TEST_CASE("fractions have as many digits as tell them apart, and equal ones stay equal") {
    CHECK(short_values({"0.00140083", "0.00140089", "0.25", "0.00140083"}) ==
          Values{"0.0014008", "0.0014009", "0.25", "0.0014008"});
    CHECK(short_values({"0.1234111", "0.1234333", "0.7654321"}) == Values{"0.12341", "0.12343", "0.76543"});
    CHECK(short_values({"0.5", "0.50000001"}) == Values{"0.5", "0.50000001"});
}

TEST_CASE("whole numbers, texts and fractions with few digits keep their text") {
    const Values same{"100096", "10.0", "1e-05", "\"0.123456\"", "[0.123456]", "true", "inf", ""};
    CHECK(short_values(same) == same);
}

}  // namespace short_values_test
