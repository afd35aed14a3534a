// SPDX-License-Identifier: Apache-2.0
#include "tenon/decimal.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "tenon/json.hpp"

namespace decimal_test {

namespace {

template <class T>
std::string json_of(T value) {
    tenon::JsonText count;
    count.value(value);
    std::string text(count.size(), '?');
    tenon::JsonText json(text.data());
    json.value(value);
    return text;
}

std::string digits_of_to_chars(double value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
    std::string digits;
    for (const char* c = text; c != end && *c != 'e'; ++c) {
        if (*c != '.') {
            digits += *c;
        }
    }
    return digits;
}

constexpr tenon::Decimal kAtCompileTime = tenon::shortest_decimal(0.1);
static_assert(kAtCompileTime.count == 1 && kAtCompileTime.digit[0] == '1' && kAtCompileTime.exponent == -1);
constexpr tenon::Decimal kLargest = tenon::shortest_decimal(std::numeric_limits<double>::max());
static_assert(kLargest.count == 17 && kLargest.exponent == 308);

}  // namespace

TEST_CASE("the shortest digits are those of std::to_chars and read back to the same bits") {
    std::mt19937_64 generator(20260101);
    int tried = 0;
    for (int i = 0; i < 60000; ++i) {
        std::uint64_t bits = generator() >> 1;  // any exponent
        if (i % 3 == 1) {
            bits = 0x3F00000000000000 + (generator() >> 9);  // near 1
        } else if (i % 3 == 2) {
            bits = (generator() % 2046 + 1) << 52;  // powers of two, whose neighbours are uneven
        }
        const auto value = std::bit_cast<double>(bits);
        if (!std::isfinite(value) || value == 0) {
            continue;
        }
        ++tried;
        const tenon::Decimal decimal = tenon::shortest_decimal(value);
        const std::string digits(decimal.digit.data(), static_cast<std::size_t>(decimal.count));
        const double back = std::strtod(json_of(value).c_str(), nullptr);
        if (std::bit_cast<std::uint64_t>(back) != bits || digits != digits_of_to_chars(value)) {
            FAIL("bits " << bits << " were written as " << json_of(value));
        }
    }
    CHECK(tried > 50000);
}

TEST_CASE("numbers are written as JSON has them") {
    CHECK(json_of(9.8) == "9.8");
    CHECK(json_of(0.02) == "0.02");
    CHECK(json_of(10.0) == "10.0");
    CHECK(json_of(0.0) == "0.0");
    CHECK(json_of(-0.0) == "-0.0");
    CHECK(json_of(-1234567.5) == "-1234567.5");
    CHECK(json_of(2.3e-3) == "0.0023");
    CHECK(json_of(1e-8) == "1e-8");
    CHECK(json_of(1.25e300) == "1.25e300");
    CHECK(json_of(5e-324) == "5e-324");
    CHECK(json_of(2.2250738585072014e-308) == "2.2250738585072014e-308");
    CHECK(json_of(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(json_of(std::int64_t{0}) == "0");
    CHECK_THROWS(json_of(std::numeric_limits<double>::infinity()));
    CHECK_THROWS(json_of(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace decimal_test
