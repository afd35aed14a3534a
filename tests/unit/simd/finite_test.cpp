// SPDX-License-Identifier: Apache-2.0
#include "base/simd/finite.hpp"

#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace finite_test {

namespace {

using tenon::simd::Level;

std::vector<Level> levels() {
    std::vector<Level> out = {Level::kBase};
    if (tenon::simd::level() >= Level::kAvx2) {
        out.push_back(Level::kAvx2);
    }
    if (tenon::simd::level() == Level::kAvx512) {
        out.push_back(Level::kAvx512);
    }
    return out;
}

}  // namespace

TEMPLATE_TEST_CASE("one number that is not finite is found among many, wherever it stands", "", float, double) {
    using Limits = std::numeric_limits<TestType>;
    for (const Level level : levels()) {
        for (const std::size_t count : {0U, 1U, 4U, 15U, 16U, 33U, 70U}) {
            std::vector<TestType> x(count);
            for (std::size_t i = 0; i < count; ++i) {
                const TestType finite[] = {0, -TestType{0}, Limits::max(), Limits::lowest(), Limits::denorm_min(), 1};
                x[i] = finite[i % std::size(finite)];
            }
            CHECK(tenon::simd::all_finite(x.data(), count, level));
            for (std::size_t i = 0; i < count; ++i) {
                for (const TestType value : {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::signaling_NaN(),
                                             Limits::infinity(), -Limits::infinity()}) {
                    const TestType before = std::exchange(x[i], value);
                    CAPTURE(count, i, value, static_cast<int>(level));
                    CHECK_FALSE(tenon::simd::all_finite(x.data(), count, level));
                    x[i] = before;
                }
            }
        }
    }
}

}  // namespace finite_test
