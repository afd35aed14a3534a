// SPDX-License-Identifier: Apache-2.0
// Laws of draw, project, contains and zero, over random specs, and the distributions that draw promises.
#include "base/data/spec_values.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "base/data/slab.hpp"
#include "random_spec.hpp"
#include "support/catch.hpp"

namespace spec_values_test {

namespace {

using namespace tenon;

struct Row {
    explicit Row(const Spec& spec) : bytes(static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype)) {
        slab = *Slab::make(bytes);
    }
    [[nodiscard]] std::vector<unsigned char> contents() const {
        return {slab.as<unsigned char>(), slab.as<unsigned char>() + bytes};
    }
    std::size_t bytes;
    Slab slab;
};

TEST_CASE("what is drawn, zeroed or projected is contained, and projecting it again changes nothing") {
    const auto seed = GENERATE(range(0U, 400U));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Spec spec = test::random_spec(random);
    CAPTURE(to_string(spec));
    REQUIRE(fault_of(spec).empty());
    const Row row(spec);
    const tn_key key{.seed = seed, .stream = 5};
    for (std::uint64_t counter = 0; counter < 50; ++counter) {
        draw(spec, key, counter * 1000, row.slab.data());
        REQUIRE(contains(spec, row.slab.data()));
        const auto drawn = row.contents();
        project(spec, row.slab.data());
        REQUIRE(row.contents() == drawn);
        draw(spec, key, counter * 1000, row.slab.data());
        REQUIRE(row.contents() == drawn);
    }
    for (int i = 0; i < 50; ++i) {
        for (std::size_t b = 0; b < row.bytes; ++b) {
            row.slab.as<unsigned char>()[b] = static_cast<unsigned char>(random());
        }
        project(spec, row.slab.data());
        REQUIRE(contains(spec, row.slab.data()));
        const auto once = row.contents();
        project(spec, row.slab.data());
        REQUIRE(row.contents() == once);
    }
    zero(spec, row.slab.data());
    CHECK(contains(spec, row.slab.data()));
}

Spec scalar(SpecKind kind, DType dtype) {
    Spec spec;
    spec.key = "x";
    spec.kind = kind;
    spec.dtype = dtype;
    return spec;
}

TEST_CASE("categories and whole-number bounds are drawn evenly, ends included") {
    Spec spec = scalar(SpecKind::kCategorical, DType::kI64);
    spec.categories = {5};
    Spec bounded = scalar(SpecKind::kBounded, DType::kI32);
    bounded.low = {-2.5};
    bounded.high = {2.0};
    std::map<std::int64_t, int> drawn;
    std::map<std::int32_t, int> whole;
    constexpr int kDraws = 20000;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        std::int64_t a = -1;
        std::int32_t b = -9;
        draw(spec, {1, 2}, i, &a);
        draw(bounded, {3, 4}, i, &b);
        ++drawn[a];
        ++whole[b];
    }
    REQUIRE(drawn.size() == 5);
    REQUIRE(whole.size() == 5);
    CHECK(whole.begin()->first == -2);
    // Six standard deviations of a binomial count.
    const double spread = 6 * std::sqrt(kDraws * 0.2 * 0.8);
    for (const auto& [value, count] : drawn) {
        CHECK(std::abs(count - kDraws / 5) < spread);
    }
    for (const auto& [value, count] : whole) {
        CHECK(std::abs(count - kDraws / 5) < spread);
    }
}

TEST_CASE("draws have the mean and spread of their distribution") {
    struct Expected {
        double low, high, mean, deviation;
    };
    const double inf = std::numeric_limits<double>::infinity();
    const auto expected = GENERATE_COPY(Expected{-1, 3, 1, 4 / std::sqrt(12.0)}, Expected{2, inf, 3, 1},
                                        Expected{-inf, 2, 1, 1}, Expected{-inf, inf, 0, 1});
    Spec spec = scalar(SpecKind::kBounded, DType::kF64);
    spec.low = {expected.low};
    spec.high = {expected.high};
    CAPTURE(to_string(spec));
    constexpr int kDraws = 20000;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        double x = 0;
        draw(spec, {7, 8}, i, &x);
        sum += x;
        squares += x * x;
    }
    const double mean = sum / kDraws;
    CHECK(std::abs(mean - expected.mean) < 6 * expected.deviation / std::sqrt(kDraws));
    CHECK(std::abs(std::sqrt(squares / kDraws - mean * mean) - expected.deviation) < 0.05 * expected.deviation);
}

TEST_CASE("project moves to the nearest value") {
    Spec box = scalar(SpecKind::kBounded, DType::kF32);
    box.shape = {3};
    box.low = {-1, -1, 0};
    box.high = {1, 2, 5};
    std::array<float, 3> x = {7, 1.5F, std::nanf("")};
    CHECK_FALSE(contains(box, x.data()));
    project(box, x.data());
    CHECK(x == std::array<float, 3>{1, 1.5F, 0});
    Spec hot = scalar(SpecKind::kOneHot, DType::kF32);
    hot.shape = {3};
    hot.categories = {3};
    std::array<float, 3> y = {0.2F, 0.7F, 0.1F};
    CHECK_FALSE(contains(hot, y.data()));
    project(hot, y.data());
    CHECK(y == std::array<float, 3>{0, 1, 0});
    Spec index = scalar(SpecKind::kCategorical, DType::kI32);
    index.categories = {4};
    std::int32_t i = 9;
    project(index, &i);
    CHECK(i == 3);
    i = -2;
    CHECK_FALSE(contains(index, &i));
    project(index, &i);
    CHECK(i == 0);
}

TEST_CASE("bounds are those of the dtype: an env's own 4.8f is within 4.8") {
    Spec spec = scalar(SpecKind::kBounded, DType::kF32);
    spec.low = {-4.8};
    spec.high = {4.8};
    const float edge = 4.8F;
    const float beyond = std::nextafter(edge, 5.0F);
    CHECK(contains(spec, &edge));
    CHECK_FALSE(contains(spec, &beyond));
}

}  // namespace

}  // namespace spec_values_test
