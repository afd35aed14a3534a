// SPDX-License-Identifier: Apache-2.0
// Changes of a batch: what was not mentioned stays, and what does not fit changes nothing.
#include "base/data/batch_edit.hpp"

#include <array>

#include "base/data/batch_shape.hpp"
#include "base/data/view_shape.hpp"
#include "random_batch.hpp"
#include "support/catch.hpp"

namespace batch_edit_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;
using test::Random;
using test::random_batch;
using test::same;

TEST_CASE("excluded columns are the others, and popped ones leave the batch") {
    std::mt19937_64 random(1);
    Batch batch = random_batch({3}, random);
    const std::vector<std::string_view> keys = {"next", "action"};
    const Batch rest = *exclude(batch, keys);
    REQUIRE(rest.columns().size() == 2);
    CHECK(rest.find("observation")->data == batch.find("observation")->data);
    CHECK(rest.find("my_own.pixels") != nullptr);
    const std::vector<std::string_view> wrong = {"acton"};
    CHECK_THAT(exclude(batch, wrong).error().sentence, ContainsSubstring("did you mean 'action'?"));

    const Batch before = batch;
    const Batch next = *pop(batch, "next");
    CHECK(same(next.sub("next"), before.sub("next")));
    CHECK(batch.columns().size() == 3);
    CHECK_FALSE(pop(batch, "next"));
    CHECK(same(*pop(batch, batch.columns()[0].key), *before.select(std::vector<std::string_view>{"observation"})));
    REQUIRE(update(batch, *before.select(std::vector<std::string_view>{"observation", "next"})));
    CHECK(same(batch, before));
}

TEST_CASE("an update that cannot be made whole changes nothing") {
    std::mt19937_64 random(2);
    Batch batch = random_batch({3}, random);
    const Batch before = batch;
    Batch other({3});
    REQUIRE(other.add("action", DType::kF32, {2}));
    REQUIRE(other.add("observation.left", DType::kF32, {}));
    CHECK_FALSE(update(batch, other));
    CHECK(same(batch, before));
    REQUIRE(update(batch, *pop(other, "action")));
    CHECK(batch.find("action")->shape == Shape{3, 2});
}

TEST_CASE("keys with another separator, and back") {
    std::mt19937_64 random(3);
    Batch batch = random_batch({2}, random);
    const Batch flat = *flatten_keys(batch, "--");
    CHECK(flat.find("next--observation")->data == batch.find("next.observation")->data);
    CHECK(flat.find("my_own--pixels") != nullptr);
    CHECK(same(*unflatten_keys(flat, "--"), batch));
    CHECK(unflatten_keys(batch, "_")->find("my.own.pixels") != nullptr);
    REQUIRE(batch.add("next_done", DType::kBool, {}));
    CHECK_THAT(flatten_keys(batch, "_").error().sentence, ContainsSubstring("'next_done'"));
    CHECK_FALSE(flatten_keys(batch, "/"));
    CHECK_FALSE(flatten_keys(batch, ""));
}

TEST_CASE("rows that are set are those that take gets back, and no others change") {
    const auto seed = GENERATE(range(0U, 50U));
    CAPTURE(seed);
    Random random(seed);
    const bool strided = random.pick(0, 1) == 1;
    const Batch whole = random_batch({random.pick(1, 6), random.pick(1, 3)}, random.bits);
    const Batch batch = strided ? *transpose(*transpose(whole, 0, 1)->clone(), 0, 1) : whole;
    const Batch before = *batch.clone();
    std::vector<std::int64_t> rows(static_cast<std::size_t>(batch.leading()[0]));
    std::iota(rows.begin(), rows.end(), 0);
    std::shuffle(rows.begin(), rows.end(), random.bits);
    rows.resize(static_cast<std::size_t>(random.pick(0, batch.leading()[0])));
    const Batch fresh = random_batch({static_cast<std::int64_t>(rows.size()), batch.leading()[1]}, random.bits);
    REQUIRE(set_at(batch, rows, fresh));
    CHECK(same(*batch.take(rows), fresh));
    for (std::int64_t row = 0; row < batch.leading()[0]; ++row) {
        if (std::ranges::find(rows, row) == rows.end()) {
            CHECK(same(batch.index(0, row), before.index(0, row)));
        }
    }
    REQUIRE(write(batch, before));
    CHECK(same(batch, before));
    zero(batch.slice(1, 0, 1));
    CHECK(same(batch.slice(1, 0, 1), *zeros_like(batch, {batch.leading()[0], 1})));
    if (batch.leading()[1] > 1) {
        CHECK(same(batch.slice(1, 1, batch.leading()[1] - 1), before.slice(1, 1, batch.leading()[1] - 1)));
    }
}

TEST_CASE("a choice has each row from where the condition says") {
    const auto seed = GENERATE(range(0U, 50U));
    CAPTURE(seed);
    Random random(seed);
    const Shape leading = {random.pick(1, 4), random.pick(1, 4)};
    const Batch a = random_batch(leading, random.bits);
    const Batch b = random_batch(leading, random.bits);
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(leading.elements()));
    for (std::uint8_t& flag : flags) {
        flag = static_cast<std::uint8_t>(random.pick(0, 1));
    }
    const Batch chosen = *where(dense(flags.data(), DType::kBool, leading), a, b);
    for (std::int64_t i = 0; i < leading[0]; ++i) {
        for (std::int64_t j = 0; j < leading[1]; ++j) {
            const Batch& from = flags[static_cast<std::size_t>(i * leading[1] + j)] != 0 ? a : b;
            CHECK(same(chosen.index(0, i).index(0, j), from.index(0, i).index(0, j)));
        }
    }
}

TEST_CASE("a function of each column") {
    std::mt19937_64 random(4);
    const Batch batch = random_batch({3}, random);
    const Batch doubled = *map_columns(batch, [](std::string_view key, const View& from, const View& to) {
        copy(from, to);
        if (key == "action") {
            each_element<std::int64_t>(to, [](std::int64_t& value) { value = value % 1000 * 2; });
        }
    });
    CHECK(doubled.find("action")->as<std::int64_t>()[1] == batch.find("action")->as<std::int64_t>()[1] % 1000 * 2);
    const std::vector<std::string_view> keys = {"action"};
    CHECK(same(*exclude(doubled, keys), *exclude(batch, keys)));
}

TEST_CASE("what does not fit is said, and nothing is written") {
    std::mt19937_64 random(5);
    const Batch batch = random_batch({3, 2}, random);
    const Batch before = *batch.clone();
    const std::array<std::int64_t, 2> rows = {0, 2};
    const std::array<std::int64_t, 1> outside = {3};
    CHECK_THAT(set_at(batch, rows, batch).error().sentence, ContainsSubstring("2 rows of one of [3, 2]"));
    CHECK_THAT(set_at(batch, outside, batch.slice(0, 0, 1)).error().sentence, ContainsSubstring("row 3 is not"));
    Batch wide = batch.slice(0, 0, 2);
    REQUIRE(wide.add("next.done", DType::kU8, {2}));
    CHECK_THAT(set_at(batch, rows, wide).error().sentence,
               ContainsSubstring("'next.done' is uint8 [] a row, but what is written to it is uint8 [2]"));
    CHECK_THAT(write(batch, wide).error().sentence, ContainsSubstring("cannot be written"));
    Batch more = batch;
    REQUIRE(more.add("x", DType::kF32, {}));
    CHECK_THAT(write(batch, more).error().sentence, ContainsSubstring("no column 'x'"));
    std::array<std::uint8_t, 6> flags{};
    const View condition = dense(flags.data(), DType::kBool, {3, 2});
    CHECK_THAT(where(condition, batch, more).error().sentence, ContainsSubstring("5 columns and one of [3, 2] with 6"));
    CHECK_THAT(where(condition.slice(0, 0, 2), batch, before).error().sentence,
               ContainsSubstring("bool [3, 2], not bool [2, 2]"));
    CHECK(same(batch, before));
}

}  // namespace

}  // namespace batch_edit_test
