// SPDX-License-Identifier: Apache-2.0
// The norm of gradients over several networks, and clipping by it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compute/parameters/clip.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace gradient_test {

using namespace tenon;

namespace {

using test::kRealType;
using test::make_network;
using test::parameter;
using test::span_of;

template <class Real>
struct Pair {
    Network a = make_network("a", {parameter("w", {3, 7}), parameter("s", {4}, "zeros", 0, false)}, kRealType<Real>);
    Network b = make_network("b", {parameter("v", {2})}, kRealType<Real>);
    std::array<Network*, 2> both = {&a, &b};

    Pair() {
        span_of<Real>(a.gradient)[0] = 3;
        span_of<Real>(a.gradient)[20] = -4;
        span_of<Real>(b.gradient)[1] = 12;
    }
};

TEMPLATE_TEST_CASE("the norm is taken over all networks together", "", float, double) {
    Pair<TestType> pair;
    CHECK(gradient_norm(pair.both, kRealType<TestType>) == 13);
    CHECK(gradient_norm(std::span(pair.both).first(1), kRealType<TestType>) == 5);
    CHECK(gradient_norm({}, kRealType<TestType>) == 0);
}

TEST_CASE("the norm of float32 gradients does not overflow") {
    Pair<float> pair;
    span_of<float>(pair.a.gradient)[3] = 3e38F;
    CHECK(gradient_norm(pair.both, DType::kF32) == Catch::Approx(3e38));
}

TEMPLATE_TEST_CASE("clipping scales all gradients by one factor", "", float, double) {
    using Real = TestType;
    Pair<Real> pair;
    clip_gradients(pair.both, kRealType<Real>, 13, 6.5);
    const Real factor = static_cast<Real>(6.5 / (13 + 1e-6));
    CHECK(span_of<Real>(pair.a.gradient)[0] == 3 * factor);
    CHECK(span_of<Real>(pair.a.gradient)[20] == -4 * factor);
    CHECK(span_of<Real>(pair.b.gradient)[1] == 12 * factor);
    CHECK(gradient_norm(pair.both, kRealType<Real>) == Catch::Approx(6.5).epsilon(1e-6));
}

TEMPLATE_TEST_CASE("gradients within the norm, or without one, keep their bits", "", float, double) {
    using Real = TestType;
    Pair<Real> pair;
    const double clip_norm = GENERATE(0.0, 13.1, std::numeric_limits<double>::infinity());
    clip_gradients(pair.both, kRealType<Real>, 13, clip_norm);
    CHECK(span_of<Real>(pair.a.gradient)[20] == -4);
    CHECK(span_of<Real>(pair.b.gradient)[1] == 12);
}

TEST_CASE("a norm that is not a number shows in every parameter and in no gap") {
    Pair<float> pair;
    clip_gradients(pair.both, DType::kF32, std::numeric_limits<double>::quiet_NaN(), 1);
    const std::span<float> gradient = span_of<float>(pair.a.gradient);
    CHECK(std::all_of(gradient.begin(), gradient.begin() + 21, [](float x) { return std::isnan(x); }));
    CHECK(std::all_of(gradient.begin() + 21, gradient.end(), [](float x) { return x == 0; }));
}

}  // namespace
}  // namespace gradient_test
