// SPDX-License-Identifier: Apache-2.0
// Specs across the ABI: what is wrong with one is said in a sentence that names plugin and column.
#include "base/data/spec_abi.hpp"

#include <array>
#include <limits>

#include "random_spec.hpp"
#include "support/catch.hpp"

namespace spec_abi_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a spec survives the way to a plugin and back") {
    const auto seed = GENERATE(range(0U, 200U));
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Composite composite;
    for (int i = 0; i < 4; ++i) {
        composite.specs.push_back(test::random_spec(random));
        composite.specs.back().key += "_" + std::to_string(i);
    }
    const SpecTable first(composite);
    const Result<Composite> once = read_specs(first.data(), first.size(), "test");
    REQUIRE(once);
    const SpecTable second(*once);
    const Result<Composite> twice = read_specs(second.data(), second.size(), "test");
    REQUIRE(twice);
    CHECK(*once == *twice);
    for (std::size_t i = 0; i < composite.specs.size(); ++i) {
        CHECK(to_string(once->specs[i]) == to_string(composite.specs[i]));
    }
}

constexpr std::array<std::int64_t, 2> kShape = {2, 3};
constexpr std::array<double, 6> kLow = {0, 0, 0, 0, 0, 0};
constexpr std::array<double, 6> kHigh = {1, 1, 1, 1, 1, 1};
constexpr std::array<std::int64_t, 3> kCategories = {2, 2, 2};

tn_spec good() {
    tn_spec spec{};
    spec.struct_size = sizeof spec;
    spec.kind = TN_SPEC_BOUNDED;
    spec.role = TN_ROLE_OBSERVATION;
    spec.dtype = TN_F32;
    spec.key = {"observation", 11};
    spec.shape = kShape.data();
    spec.rank = 2;
    spec.bound_count = 6;
    spec.low = kLow.data();
    spec.high = kHigh.data();
    return spec;
}

std::string refusal(const tn_spec& spec) {
    const Result<Spec> read = read_spec(spec, "lib/Env");
    REQUIRE_FALSE(read);
    CHECK(read.error().fault == Fault::kPlugin);
    CHECK_THAT(read.error().sentence, ContainsSubstring("lib/Env"));
    return read.error().sentence;
}

TEST_CASE("equal bounds become one") {
    const Result<Spec> spec = read_spec(good(), "lib/Env");
    REQUIRE(spec);
    CHECK(spec->low == std::vector<double>{0});
    CHECK(spec->shape == Shape{2, 3});
}

TEST_CASE("a spec that cannot be read is refused") {
    tn_spec spec = good();
    spec.struct_size = 8;
    CHECK_THAT(refusal(spec), ContainsSubstring("struct_size of 8"));
    spec = good();
    spec.key = {nullptr, 3};
    CHECK_THAT(refusal(spec), ContainsSubstring("no key"));
    spec = good();
    spec.key = {"a b", 3};
    CHECK_THAT(refusal(spec), ContainsSubstring("'a b'"));
    spec = good();
    spec.kind = 77;
    CHECK_THAT(refusal(spec), ContainsSubstring("'observation' is of kind 77"));
    spec = good();
    spec.role = 0;
    CHECK_THAT(refusal(spec), ContainsSubstring("role 0"));
    spec = good();
    spec.dtype = TN_REAL;
    CHECK_THAT(refusal(spec), ContainsSubstring("element type 16"));
    spec = good();
    spec.rank = kMaxSpecRank + 1;
    CHECK_THAT(refusal(spec), ContainsSubstring("11 dimensions"));
    spec = good();
    spec.shape = nullptr;
    CHECK_THAT(refusal(spec), ContainsSubstring("no shape"));
    spec = good();
    spec.high = nullptr;
    CHECK_THAT(refusal(spec), ContainsSubstring("has 6 bounds, but no array"));
    spec = good();
    spec.category_count = 2;
    CHECK_THAT(refusal(spec), ContainsSubstring("has 2 categories, but no array"));
    spec.category_count = 1;
    CHECK_THAT(refusal(spec), ContainsSubstring("has 1 category, but no array"));
}

TEST_CASE("a spec that makes no sense is refused") {
    tn_spec spec = good();
    constexpr std::array<std::int64_t, 2> kEmpty = {2, 0};
    spec.shape = kEmpty.data();
    CHECK_THAT(refusal(spec), ContainsSubstring("[2, 0]"));
    constexpr std::array<std::int64_t, 2> kHuge = {1LL << 40, 1LL << 40};
    spec.shape = kHuge.data();
    CHECK_THAT(refusal(spec), ContainsSubstring("2^40"));
    spec = good();
    spec.bound_count = 2;
    CHECK_THAT(refusal(spec), ContainsSubstring("has 2 bounds"));
    spec = good();
    spec.low = kHigh.data();
    spec.high = kLow.data();
    CHECK_THAT(refusal(spec), ContainsSubstring("lower bound"));
    constexpr std::array<double, 1> kNan = {std::numeric_limits<double>::quiet_NaN()};
    spec.bound_count = 1;
    spec.low = kNan.data();
    CHECK_THAT(refusal(spec), ContainsSubstring("lower bound"));
    spec = good();
    spec.kind = TN_SPEC_UNBOUNDED;
    CHECK_THAT(refusal(spec), ContainsSubstring("has bounds"));
    spec = good();
    spec.category_count = 1;
    spec.categories = kCategories.data();
    CHECK_THAT(refusal(spec), ContainsSubstring("has categories"));
}

TEST_CASE("categories must fit kind, shape and dtype") {
    tn_spec spec = good();
    spec.bound_count = 0;
    spec.dtype = TN_I64;
    spec.category_count = 3;
    spec.categories = kCategories.data();
    spec.kind = TN_SPEC_MULTI_CATEGORICAL;
    CHECK(read_spec(spec, "lib/Env"));
    spec.category_count = 2;
    CHECK_THAT(refusal(spec), ContainsSubstring("over 2 variables"));
    spec.kind = TN_SPEC_CATEGORICAL;
    CHECK_THAT(refusal(spec), ContainsSubstring("exactly one"));
    spec.category_count = 1;
    CHECK(read_spec(spec, "lib/Env"));
    spec.dtype = TN_F32;
    CHECK_THAT(refusal(spec), ContainsSubstring("whole numbers"));
    spec.kind = TN_SPEC_ONE_HOT;
    CHECK_THAT(refusal(spec), ContainsSubstring("one-hot over 2"));
    constexpr std::array<std::int64_t, 1> kNone = {0};
    spec.categories = kNone.data();
    CHECK_THAT(refusal(spec), ContainsSubstring("0 categories"));
    constexpr std::array<std::int64_t, 1> kMany = {300};
    spec.kind = TN_SPEC_CATEGORICAL;
    spec.dtype = TN_U8;
    spec.categories = kMany.data();
    CHECK_THAT(refusal(spec), ContainsSubstring("more than uint8 can index"));
}

TEST_CASE("a spec of a header without groups is of none") {
    const std::array<std::int64_t, 1> three = {3};
    tn_spec spec = good();
    spec.kind = TN_SPEC_UNBOUNDED;
    spec.bound_count = 0;
    spec.rank = 1;
    spec.shape = three.data();
    spec.key = {"agents.x", 8};
    spec.group = {"agents", 6};
    REQUIRE(read_spec(spec, "lib/Env"));
    CHECK(read_spec(spec, "lib/Env")->group == "agents");
    spec.struct_size = offsetof(tn_spec, group);
    CHECK(read_spec(spec, "lib/Env")->group.empty());
    spec.struct_size = sizeof spec;
    spec.group.data = nullptr;
    CHECK_THAT(refusal(spec), ContainsSubstring("is of a group whose name is null or too long"));
}

TEST_CASE("columns of a plugin have different keys, none inside another") {
    const tn_spec a = good();
    tn_spec b = good();
    const std::array<const tn_spec*, 2> both = {&a, &b};
    CHECK_THAT(read_specs(both.data(), 2, "lib/Env").error().sentence, ContainsSubstring("'observation' exists twice"));
    b.key = {"observation.x", 13};
    CHECK_THAT(read_specs(both.data(), 2, "lib/Env").error().sentence, ContainsSubstring("continues the other"));
    b.key = {"observations", 12};
    CHECK(read_specs(both.data(), 2, "lib/Env"));
    const std::array<const tn_spec*, 2> hole = {&a, nullptr};
    CHECK_THAT(read_specs(hole.data(), 2, "lib/Env").error().sentence, ContainsSubstring("null pointer"));
    CHECK_THAT(read_specs(nullptr, 2, "lib/Env").error().sentence, ContainsSubstring("the array of them is null"));
}

}  // namespace

}  // namespace spec_abi_test
