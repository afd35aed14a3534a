// SPDX-License-Identifier: Apache-2.0
// Text that TOML reads back; that it really does is tested with the manifest, where the TOML library is.
#include "config/option/toml_text.hpp"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "support/catch.hpp"

namespace toml_text_test {

TEST_CASE("floats keep a sign of being floats") {
    CHECK(tenon::toml_float(1) == "1.0");
    CHECK(tenon::toml_float(-0.0) == "-0.0");
    CHECK(tenon::toml_float(0.1) == "0.1");
    CHECK(tenon::toml_float(3e-4) == "0.0003");
    CHECK(tenon::toml_float(1e22) == "1e+22");
    CHECK(tenon::toml_float(100000) == "100000.0");
    CHECK(tenon::toml_float(1e-5) == "0.00001");
    CHECK(tenon::toml_float(1e-8) == "1e-08");
    CHECK(tenon::toml_float(999999999999999.9) == "999999999999999.9");
    CHECK(tenon::toml_float(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(tenon::toml_float(-std::numeric_limits<double>::infinity()) == "-inf");
    CHECK(tenon::toml_float(std::numeric_limits<double>::quiet_NaN()) == "nan");
    CHECK(tenon::toml_float(5e-324) == "5e-324");
}

TEST_CASE("floats of any bits come back with the same bits") {
    std::mt19937_64 bits(7);
    for (int i = 0; i < 1000; ++i) {
        const double value = std::bit_cast<double>(bits());
        if (value == value) {
            const std::string text = tenon::toml_float(value);
            CAPTURE(text);
            CHECK(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)) ==
                  std::bit_cast<std::uint64_t>(value));
        }
    }
}

TEST_CASE("strings are one line of printable text") {
    CHECK(tenon::toml_string("") == "\"\"");
    CHECK(tenon::toml_string("a \"b\" \\ c") == R"("a \"b\" \\ c")");
    CHECK(tenon::toml_string("1\n2\t3\r") == R"("1\n2\t3\r")");
    CHECK(tenon::toml_string(std::string("\0\x1f\x7f", 3)) == R"("\u0000\u001F\u007F")");
    CHECK(tenon::toml_string("gr\xc3\xbcn") == "\"gr\xc3\xbcn\"");
}

TEST_CASE("keys are quoted where they must be") {
    CHECK(tenon::toml_key("total_frames-2") == "total_frames-2");
    CHECK(tenon::toml_key("optimiser.lr") == "\"optimiser.lr\"");
    CHECK(tenon::toml_key("") == "\"\"");
    CHECK(tenon::toml_key("gr\xc3\xbcn") == "\"gr\xc3\xbcn\"");
}

}  // namespace toml_text_test
