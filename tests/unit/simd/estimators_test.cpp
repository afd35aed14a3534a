// SPDX-License-Identifier: Apache-2.0
// Every level gives the bits of a plain loop, for all shapes of what lies around time. (That these are the numbers of
// the SDK's composites is tested in tests/unit/objectives/estimators_test.cpp.)
#include "base/simd/estimators.hpp"

#include <random>
#include <vector>

#include "support/catch.hpp"

namespace estimators_test {

using namespace tenon::simd;

namespace {

template <class Real>
std::vector<Real> drawn(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<Real> normal;
    std::vector<Real> out(count);
    for (Real& value : out) {
        value = normal(generator);
    }
    return out;
}

template <class Real>
void check_scan(const Extents& e, bool reverse) {
    const auto count = static_cast<std::size_t>(e.outer * e.steps * e.inner);
    const std::vector<Real> decay = drawn<Real>(count, 1);
    const std::vector<Real> x = drawn<Real>(count, 2);
    std::vector<Real> wanted = x;
    for (std::int64_t row = 1; row < e.steps; ++row) {
        const std::int64_t step = reverse ? e.steps - 1 - row : row;
        for (std::int64_t block = 0; block < e.outer; ++block) {
            for (std::int64_t i = 0; i < e.inner; ++i) {
                const auto at = static_cast<std::size_t>((block * e.steps + step) * e.inner + i);
                const auto inner = static_cast<std::size_t>(e.inner);
                volatile Real product = decay[at] * wanted[reverse ? at + inner : at - inner];
                wanted[at] = x[at] + product;
            }
        }
    }
    for (const Level level : {Level::kBase, tenon::simd::level()}) {
        std::vector<Real> y(count);
        scan_linear(e, decay.data(), x.data(), reverse, y.data(), level);
        CHECK(y == wanted);
    }
}

template <class Real>
void check_levels(const Extents& e) {
    const auto count = static_cast<std::size_t>(e.outer * e.steps * e.inner);
    std::vector<std::vector<Real>> columns;
    for (unsigned seed = 0; seed < 5; ++seed) {
        columns.push_back(drawn<Real>(count, seed));
    }
    std::vector<std::uint8_t> done(count);
    for (std::size_t i = 0; i < count; ++i) {
        done[i] = columns[0][i] > 1 ? 1 : 0;
    }
    const Steps<Real> steps{.reward = columns[0].data(),
                            .value = columns[1].data(),
                            .next_value = columns[2].data(),
                            .terminated = done.data(),
                            .done = done.data(),
                            .rho = columns[3].data(),
                            .c = columns[4].data(),
                            .gamma = Real(0.97),
                            .lambda = Real(0.9)};
    const auto check = [&](auto estimator) {
        std::vector<Real> base(count);
        std::vector<Real> best(count);
        estimator(base.data(), Level::kBase);
        estimator(best.data(), tenon::simd::level());
        CHECK(base == best);
    };
    check([&](Real* out, Level level) { gae(e, steps, out, level); });
    check([&](Real* out, Level level) { td_lambda(e, steps, out, level); });
    check([&](Real* out, Level level) { vtrace(e, steps, out, level); });
    check([&](Real* out, Level level) { reward_to_go(e, steps, out, level); });
}

const std::vector<Extents> kShapes = {{1, 1, 1}, {1, 7, 1}, {3, 5, 1}, {1, 6, 37}, {2, 4, 16}, {2, 0, 3}, {0, 4, 2}};

}  // namespace

TEST_CASE("a linear scan is a plain loop to the last bit") {
    for (const Extents& shape : kShapes) {
        for (const bool reverse : {false, true}) {
            CAPTURE(shape.outer, shape.steps, shape.inner, reverse);
            check_scan<float>(shape, reverse);
            check_scan<double>(shape, reverse);
        }
    }
}

TEST_CASE("estimators have the same bits at every level") {
    for (const Extents& shape : kShapes) {
        CAPTURE(shape.outer, shape.steps, shape.inner);
        check_levels<float>(shape);
        check_levels<double>(shape);
    }
}

}  // namespace estimators_test
