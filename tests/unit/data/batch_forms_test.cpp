// SPDX-License-Identifier: Apache-2.0
// Batches of several lengths, with texts, in one block, and as a table.
#include <array>
#include <limits>

#include "base/data/batch_memory.hpp"
#include "base/data/batch_ragged.hpp"
#include "base/data/batch_table.hpp"
#include "base/data/batch_text.hpp"
#include "random_batch.hpp"
#include "support/catch.hpp"

namespace batch_forms_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;
using test::Random;
using test::random_batch;
using test::same;

TEST_CASE("batches of several lengths are padded with zeros, masked, and cut out again") {
    const auto seed = GENERATE(range(0U, 50U));
    CAPTURE(seed);
    Random random(seed);
    const bool wide = random.pick(0, 1) == 1;
    std::vector<Batch> parts;
    std::int64_t longest = 0;
    for (std::int64_t i = random.pick(1, 5); i > 0; --i) {
        const std::int64_t length = random.pick(0, 5);
        longest = std::max(longest, length);
        parts.push_back(random_batch(wide ? Shape{length, 2} : Shape{length}, random.bits));
    }
    const Result<Batch> padded = stack_padded(parts);
    REQUIRE(padded);
    const auto count = static_cast<std::int64_t>(parts.size());
    CHECK(padded->leading() == (wide ? Shape{count, longest, 2} : Shape{count, longest}));
    const View& mask = *padded->find("mask");
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t length = parts[static_cast<std::size_t>(i)].leading()[0];
        for (std::int64_t t = 0; t < longest; ++t) {
            const View flag = mask.index(0, i).index(0, t);
            CHECK(*flag.as<std::uint8_t>() == (t < length ? 1 : 0));
        }
        const View rest = padded->find("observation")->index(0, i).slice(0, length, longest - length);
        for (const unsigned char byte : test::bytes_of(rest)) {
            CHECK(byte == 0);
        }
    }
    const auto back = longest == 0 ? Result<std::vector<Batch>>(parts) : unpadded(*padded);
    REQUIRE(back);
    REQUIRE(back->size() == parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(same((*back)[i], parts[i]));
    }
}

TEST_CASE("what cannot be padded, or was not, is said") {
    std::mt19937_64 random(1);
    const Batch batch = random_batch({3, 2}, random);
    CHECK_FALSE(stack_padded({}));
    CHECK_THAT(stack_padded(std::vector<Batch>{batch, random_batch({3, 1}, random)}).error().sentence,
               ContainsSubstring("batch 1 is [3, 1]; padding is along the first dimension"));
    CHECK_THAT(stack_padded(std::vector<Batch>{batch}, "action").error().sentence, ContainsSubstring("another key"));
    CHECK_THAT(unpadded(batch).error().sentence, ContainsSubstring("no column 'mask'"));
    CHECK_THAT(unpadded(batch, "action").error().sentence, ContainsSubstring("must be bool"));
    Batch gap = batch;
    const View mask = *gap.add("mask", DType::kBool, {});
    mask.as<std::uint8_t>()[1] = 1;
    CHECK_THAT(unpadded(gap).error().sentence, ContainsSubstring("row 0 of the mask 'mask' has a 1 after a 0"));
}

TEST_CASE("texts are columns that are sliced and stacked like others") {
    Batch batch({2, 2});
    const std::array<std::string_view, 4> texts = {"left", "", "right, then left", "up"};
    REQUIRE(add_texts(batch, "task", texts));
    CHECK(batch.find("task.bytes")->shape == Shape{2, 2, 16});
    for (std::int64_t i = 0; i < 4; ++i) {
        CHECK(*text_at(batch, "task", i) == texts[static_cast<std::size_t>(i)]);
    }
    CHECK(*text_at(batch.index(1, 1), "task", 1) == "up");
    CHECK(*text_at(*stack(std::vector<Batch>{batch, batch}, 0), "task", 6) == "right, then left");
    Batch fixed({1});
    const std::array<std::string_view, 1> one = {"1234"};
    REQUIRE(add_texts(fixed, "task", one, 8));
    CHECK(fixed.find("task.bytes")->shape == Shape{1, 8});
    CHECK_THAT(add_texts(fixed, "goal", one, 3).error().sentence, ContainsSubstring("text 0 of 'goal' has 4 bytes"));
    CHECK(fixed.columns().size() == 2);
    CHECK_THAT(add_texts(fixed, "goal", texts).error().sentence, ContainsSubstring("4 texts do not fit"));
    CHECK_THAT(text_at(fixed, "task", 1).error().sentence, ContainsSubstring("row 1"));
    CHECK_THAT(text_at(fixed, "goal", 0).error().sentence, ContainsSubstring("no column 'goal.bytes'"));
    fixed.find("task.length")->as<std::int32_t>()[0] = 9;
    CHECK_THAT(text_at(fixed, "task", 0).error().sentence, ContainsSubstring("has the length 9"));
}

TEST_CASE("a consolidated batch is the same, in one block") {
    std::mt19937_64 random(2);
    const Batch batch = random_batch({5, 4}, random).slice(1, 1, 2);
    const Result<Consolidated> one = consolidate(batch);
    REQUIRE(one);
    CHECK(same(one->batch, batch));
    for (const BatchColumn& column : one->batch.columns()) {
        const auto offset = static_cast<std::byte*>(column.view.data) - one->memory->as<std::byte>();
        CHECK(offset % 64 == 0);
        CHECK(static_cast<std::size_t>(offset) + column.view.bytes() <= one->memory->size());
        CHECK(column.owner == one->memory);
    }
    CHECK(consolidate(Batch({3}))->memory->empty());
}

TEST_CASE("a batch is printed as a table") {
    Batch batch({2, 2});
    std::array<float, 8> observation = {0.5F, -1.25F, 3, 0, 0, 0, 0, 2};
    std::array<std::int64_t, 4> action = {7, -3, 0, 1};
    REQUIRE(batch.set("observation", dense(observation.data(), DType::kF32, {2, 2, 2})));
    REQUIRE(batch.set("action", dense(action.data(), DType::kI64, {2, 2})));
    CHECK(to_string(batch) ==
          "batch [2, 2]\n"
          "key          dtype    row  min    max\n"
          "observation  float32  [2]  -1.25  3\n"
          "action       int64    []   -3     7\n");
    observation[0] = std::numeric_limits<float>::quiet_NaN();
    CHECK_THAT(to_string(batch.slice(0, 0, 1)), ContainsSubstring("min    max  NaNs\n"));
    CHECK_THAT(to_string(batch.slice(0, 0, 1)), ContainsSubstring("observation  float32  [2]  -1.25  3    1\n"));
    CHECK_THAT(to_string(batch.slice(0, 0, 0)), ContainsSubstring("action       int64    []   -    -\n"));
}

}  // namespace

}  // namespace batch_forms_test
