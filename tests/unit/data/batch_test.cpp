// SPDX-License-Identifier: Apache-2.0
// Laws of batches.
#include "base/data/batch.hpp"

#include <array>
#include <random>

#include "random_batch.hpp"
#include "support/catch.hpp"

namespace batch_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

using test::Random;
using test::random_batch;
using test::same;

TEST_CASE("a batch cut in two and put together is the batch") {
    const auto seed = GENERATE(range(0U, 100U));
    CAPTURE(seed);
    Random random(seed);
    const Batch batch = random_batch({random.pick(1, 5), random.pick(1, 5)}, random.bits);
    const auto dim = static_cast<std::uint32_t>(random.pick(0, 1));
    const std::int64_t n = batch.leading()[dim];
    const std::int64_t at = random.pick(0, n);
    const std::vector<Batch> parts = {batch.slice(dim, 0, at), batch.slice(dim, at, n - at)};
    const Result<Batch> whole = cat(parts, dim);
    REQUIRE(whole);
    CHECK(same(*whole, batch));
}

TEST_CASE("the indices of a batch, stacked, are the batch") {
    const auto seed = GENERATE(range(0U, 100U));
    CAPTURE(seed);
    Random random(seed);
    const Batch batch = random_batch({random.pick(1, 5), random.pick(1, 5)}, random.bits);
    const auto dim = static_cast<std::uint32_t>(random.pick(0, 1));
    std::vector<Batch> parts;
    for (std::int64_t i = 0; i < batch.leading()[dim]; ++i) {
        parts.push_back(batch.index(dim, i));
    }
    const Result<Batch> whole = stack(parts, dim);
    REQUIRE(whole);
    CHECK(same(*whole, batch));
}

TEST_CASE("reshape there and back is the batch, of slices too") {
    const auto seed = GENERATE(range(0U, 100U));
    CAPTURE(seed);
    Random random(seed);
    const Batch whole = random_batch({random.pick(2, 5), random.pick(2, 5)}, random.bits);
    const Batch batch = whole.slice(1, 1, random.pick(1, whole.leading()[1] - 1));
    const Result<Batch> flat = batch.reshape({batch.leading().elements()});
    REQUIRE(flat);
    const Result<Batch> back = flat->reshape(batch.leading());
    REQUIRE(back);
    CHECK(same(*back, batch));
    CHECK_FALSE(batch.reshape({batch.leading().elements() + 1}));
}

TEST_CASE("mask keeps the rows of ones in order, take those it is told") {
    const auto seed = GENERATE(range(0U, 100U));
    CAPTURE(seed);
    Random random(seed);
    const Batch batch = random_batch({random.pick(1, 4), random.pick(1, 4)}, random.bits);
    std::vector<std::uint8_t> keep(static_cast<std::size_t>(batch.leading().elements()));
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < keep.size(); ++i) {
        keep[i] = static_cast<std::uint8_t>(random.pick(0, 1));
        if (keep[i] != 0) {
            rows.push_back(static_cast<std::int64_t>(i));
        }
    }
    const Result<Batch> masked = batch.mask(dense(keep.data(), DType::kBool, batch.leading()));
    const Result<Batch> flat = batch.reshape({batch.leading().elements()});
    REQUIRE(masked);
    REQUIRE(flat);
    CHECK(masked->leading() == Shape{static_cast<std::int64_t>(rows.size())});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(same(masked->index(0, static_cast<std::int64_t>(i)), flat->index(0, rows[i])));
    }
    const std::vector<std::int64_t> outside = {batch.leading()[0]};
    CHECK_THAT(batch.take(outside).error().sentence, ContainsSubstring("is not in a batch"));
    CHECK_THAT(batch.mask(dense(keep.data(), DType::kBool, {99})).error().sentence, ContainsSubstring("[99]"));
}

TEST_CASE("views share memory, clones do not, and both outlive the batch they came from") {
    std::mt19937_64 random(3);
    Result<Batch> clone = Batch();
    Batch view;
    {
        const Batch batch = random_batch({4}, random);
        clone = batch.clone();
        view = batch.slice(0, 1, 2);
        CHECK(view.find("action")->data == static_cast<std::int64_t*>(batch.find("action")->data) + 1);
        REQUIRE(clone);
        CHECK(clone->find("action")->data != batch.find("action")->data);
        CHECK(same(*clone, batch));
    }
    CHECK(same(view, clone->slice(0, 1, 2)));
}

TEST_CASE("branches are taken out and put back whole") {
    std::mt19937_64 random(4);
    const Batch batch = random_batch({3}, random);
    const Batch next = batch.sub("next");
    REQUIRE(next.columns().size() == 2);
    CHECK(next.find("observation")->data == batch.find("next.observation")->data);
    Batch other({3});
    REQUIRE(other.put("next", next));
    CHECK(other.find("next.done") != nullptr);
    CHECK(batch.sub("nex").columns().empty());
    const std::vector<std::string_view> keys = {"my_own", "action"};
    const Result<Batch> some = batch.select(keys);
    REQUIRE(some);
    REQUIRE(some->columns().size() == 2);
    CHECK(some->columns()[0].key == "my_own.pixels");
    const std::vector<std::string_view> wrong = {"actoin"};
    CHECK_THAT(batch.select(wrong).error().sentence, ContainsSubstring("did you mean 'action'?"));
}

TEST_CASE("rename moves columns and branches and keeps keys apart") {
    std::mt19937_64 random(5);
    Batch batch = random_batch({3}, random);
    const Batch before = batch;
    REQUIRE(batch.rename("next", "later"));
    CHECK(batch.find("later.observation") != nullptr);
    CHECK(batch.find("next.observation") == nullptr);
    REQUIRE(batch.rename("later", "next"));
    CHECK(same(batch, before));
    REQUIRE(batch.rename("action", "action.index"));
    CHECK(batch.find("action.index") != nullptr);
    CHECK_FALSE(batch.rename("observation", "action.index"));
    CHECK_FALSE(batch.rename("observation", "next"));
    CHECK_FALSE(batch.rename("observation", "next.done.x"));
    CHECK_FALSE(batch.rename("nothing", "x"));
    CHECK_FALSE(batch.rename("observation", "a b"));
    CHECK(batch.find("observation") != nullptr);
}

TEST_CASE("a column must fit the batch and its keys") {
    Batch batch({2, 3});
    std::array<float, 12> data{};
    CHECK(batch.set("a.b", dense(data.data(), DType::kF32, {2, 3, 2})));
    CHECK_THAT(batch.set("c", dense(data.data(), DType::kF32, {3, 2})).error().sentence, ContainsSubstring("[3, 2]"));
    CHECK_FALSE(batch.set("a", dense(data.data(), DType::kF32, {2, 3})));
    CHECK_FALSE(batch.set("a.b.c", dense(data.data(), DType::kF32, {2, 3})));
    CHECK(batch.set("a.b", dense(data.data(), DType::kF32, {2, 3})));
    CHECK(batch.columns().size() == 1);
    CHECK(batch.get("a.b")->shape == Shape{2, 3});
    CHECK_THAT(batch.get("a.c").error().sentence, ContainsSubstring("did you mean 'a.b'?"));
}

TEST_CASE("batches that are not alike cannot be put together") {
    std::mt19937_64 random(6);
    const Batch batch = random_batch({2, 2}, random);
    Batch more = batch;
    REQUIRE(more.add("x", DType::kF32, {}));
    Batch other({2, 2});
    for (const BatchColumn& column : batch.columns()) {
        const bool action = column.key == "action";
        REQUIRE(other.add(column.key, action ? DType::kI32 : column.view.dtype, tail(column.view.shape, 2)));
    }
    const auto refusal = [](const Batch& a, const Batch& b) {
        const std::vector<Batch> both = {a, b};
        CHECK_FALSE(stack(both, 0));
        return cat(both, 0).error().sentence;
    };
    CHECK_THAT(refusal(batch, more), ContainsSubstring("'x'"));
    CHECK_THAT(refusal(more, batch), ContainsSubstring("'x'"));
    CHECK_THAT(refusal(batch, other), ContainsSubstring("'action' is int64 [] in batch 0, but int32 [] in batch 1"));
    CHECK_THAT(refusal(batch, random_batch({2, 3}, random)), ContainsSubstring("batch 1 is [2, 3]"));
    CHECK_FALSE(cat({}, 0));
}

}  // namespace

}  // namespace batch_test
