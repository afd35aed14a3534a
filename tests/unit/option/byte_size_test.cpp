// SPDX-License-Identifier: Apache-2.0
#include "config/option/byte_size.hpp"

#include <string>

#include "support/catch.hpp"

namespace byte_size_test {

using tenon::parse_byte_size;

TEST_CASE("bytes are a number and a unit") {
    CHECK(parse_byte_size("1 B") == 1U);
    CHECK(parse_byte_size("2 GB") == 2'000'000'000U);
    CHECK(parse_byte_size("512 MiB") == 512U << 20U);
    CHECK(parse_byte_size("1.5KiB") == 1536U);
    CHECK(parse_byte_size("0.25 TB") == 250'000'000'000U);
    CHECK(parse_byte_size("3kB") == 3000U);
    CHECK(parse_byte_size("8 TiB") == std::uint64_t{8} << 40U);
    CHECK(parse_byte_size("1 GiB") == 1U << 30U);
    CHECK(parse_byte_size("7MB") == 7'000'000U);
}

TEST_CASE("no other text is a number of bytes") {
    for (const std::string text : {"", "2", "GB", "2 gb", "2  GB", " 2 GB", "2 GB ", "-2 GB", "0 GB", "0.1 B", "nan GB",
                                   "inf GB", "1e3 B", "99999999999 TB", "2 GBs"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_byte_size(text).has_value());
    }
}

}  // namespace byte_size_test
