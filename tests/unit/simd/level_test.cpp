// SPDX-License-Identifier: Apache-2.0
// TENON_LEVEL. The level is found once in a process, so that this program is also run under other values of it
// (CMakeLists.txt).
#include "base/simd/level.hpp"

#include <cstdlib>
#include <string>

#include "base/simd/level_variable.hpp"
#include "support/catch.hpp"

namespace level_test {

using tenon::simd::Level;

namespace {

// Puts the variable back at the end.
class Variable {
public:
    explicit Variable(const char* value) {
        const char* const before = std::getenv("TENON_LEVEL");
        was_set_ = before != nullptr;
        before_ = was_set_ ? before : "";
        setenv("TENON_LEVEL", value, 1);
    }
    ~Variable() { was_set_ ? setenv("TENON_LEVEL", before_.c_str(), 1) : unsetenv("TENON_LEVEL"); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    bool was_set_;
    std::string before_;
};

}  // namespace

TEST_CASE("TENON_LEVEL caps the level") {
    const char* const value = std::getenv("TENON_LEVEL");
    const std::string cap = value != nullptr ? value : "avx512";
    CHECK(tenon::simd::level() <= (cap == "base" ? Level::kBase : cap == "avx2" ? Level::kAvx2 : Level::kAvx512));
}

TEST_CASE("TENON_LEVEL is found once") {
    const Level before = tenon::simd::level();
    const Variable other(before == Level::kBase ? "avx2" : "base");
    CHECK(tenon::simd::level() == before);
}

TEST_CASE("TENON_LEVEL must be the name of a level, or empty") {
    for (const char* const name : {"avx512", "avx2", "base", ""}) {
        const Variable variable(name);
        CHECK(tenon::simd::check_level_variable().has_value());
    }
    const Variable variable("sse");
    const tenon::Status status = tenon::simd::check_level_variable();
    REQUIRE(!status.has_value());
    CHECK(status.error().fault == tenon::Fault::kInput);
    CHECK(status.error().sentence ==
          "the environment variable TENON_LEVEL must be 'avx512', 'avx2' or 'base', but is 'sse'");
}

}  // namespace level_test
