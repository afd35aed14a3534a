// SPDX-License-Identifier: Apache-2.0
// Numbers of several lanes side by side: each is what a plain double would be.
#include "tenon/pack.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "tenon/random.hpp"

namespace pack_test {

using tenon::kPackLanes;
using tenon::Pack;
using tenon::PackMask;

namespace {

Pack pack_of(const std::array<double, kPackLanes>& numbers) {
    Pack out;
    for (std::size_t lane = 0; lane < kPackLanes; ++lane) {
        out.part[lane / 2][lane % 2] = numbers[lane];
    }
    return out;
}

double draw(std::uint64_t counter, double size) {
    const tn_random_block block = tn_philox({11, 12}, counter);
    return size * (2 * tn_uniform(block.word[0], block.word[1]) - 1);
}

// Of double against long double, in units in the last place.
double distance(double found, long double wanted) {
    const double size = std::abs(static_cast<double>(wanted));
    return static_cast<double>(std::abs(found - wanted) / (std::nextafter(size, INFINITY) - size));
}

}  // namespace

TEST_CASE("arithmetic on packs is that of doubles, lane by lane") {
    std::array<double, kPackLanes> a{};
    std::array<double, kPackLanes> b{};
    for (std::size_t lane = 0; lane < kPackLanes; ++lane) {
        a[lane] = draw(2 * lane, 10);
        b[lane] = lane == 1 ? a[lane] : draw(2 * lane + 1, 10);
    }
    const Pack x = pack_of(a);
    const Pack y = pack_of(b);
    for (std::size_t lane = 0; lane < kPackLanes; ++lane) {
        CHECK((x + y)[lane] == a[lane] + b[lane]);
        CHECK((x - 2)[lane] == a[lane] - 2);
        CHECK((x * y)[lane] == a[lane] * b[lane]);
        CHECK((1 / y)[lane] == 1 / b[lane]);
        CHECK((-x)[lane] == -a[lane]);
        CHECK(abs(x)[lane] == std::abs(a[lane]));
        CHECK((x == y)[lane] == (a[lane] == b[lane]));
        CHECK((x < y)[lane] == (a[lane] < b[lane]));
        CHECK((x <= y)[lane] == (a[lane] <= b[lane]));
        CHECK((x > y)[lane] == (a[lane] > b[lane]));
        CHECK((x >= y)[lane] == (a[lane] >= b[lane]));
        CHECK((~(x < y) & (x > 0))[lane] == (!(a[lane] < b[lane]) && a[lane] > 0));
        CHECK(((x < y) | (x > 0))[lane] == (a[lane] < b[lane] || a[lane] > 0));
        CHECK(where(x < y, x, 7)[lane] == (a[lane] < b[lane] ? a[lane] : 7));
    }
    CHECK(std::signbit(Pack(-0.0)[kPackLanes - 1]));
    CHECK(!any(~(x == x)));
}

TEST_CASE("any lane of a mask counts") {
    CHECK(!any(PackMask{}));
    for (std::size_t lane = 0; lane < kPackLanes; ++lane) {
        std::array<double, kPackLanes> numbers{};
        numbers[lane] = 1;
        CHECK(any(pack_of(numbers) > 0));
    }
}

TEST_CASE("sine and cosine are as near as they say, and each lane's are its own") {
    double sine = 0;
    double small_sine = 0;
    double cosine = 0;
    for (std::uint64_t counter = 0; counter < 20000; ++counter) {
        const double x = draw(counter, 0.5);
        const auto found = tenon::sine_cosine(x);
        const double off = distance(found.sine, std::sin(static_cast<long double>(x)));
        sine = std::max(sine, off);
        small_sine = std::max(small_sine, std::abs(x) <= 0.21 ? off : 0);
        cosine = std::max(cosine, distance(found.cosine, std::cos(static_cast<long double>(x))));

        std::array<double, kPackLanes> numbers{};
        numbers.fill(draw(counter, 100));
        const std::size_t lane = counter % kPackLanes;
        numbers[lane] = x;
        const auto among = tenon::sine_cosine(pack_of(numbers));
        REQUIRE(among.sine[lane] == found.sine);
        REQUIRE(among.cosine[lane] == found.cosine);
    }
    CHECK(sine < 0.61);
    CHECK(small_sine < 0.52);
    CHECK(cosine < 0.52);
}

TEST_CASE("beyond half a radian they are the C library's") {
    for (const double x : {0.51, -3.0, 1e5, -1e300}) {
        const auto found = tenon::sine_cosine(x);
        CHECK(found.sine == std::sin(x));
        CHECK(found.cosine == std::cos(x));
    }
    CHECK(std::isnan(tenon::sine_cosine(std::numeric_limits<double>::infinity()).sine));
    CHECK(std::isnan(tenon::sine_cosine(std::numeric_limits<double>::quiet_NaN()).cosine));
}

}  // namespace pack_test
