// SPDX-License-Identifier: Apache-2.0
// Laws of other leading dimensions: chains of them against index arithmetic, and that nothing is copied.
#include "base/data/batch_shape.hpp"

#include <array>

#include "naive_rows.hpp"
#include "random_batch.hpp"
#include "support/catch.hpp"

namespace batch_shape_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;
using test::holds;
using test::Index;
using test::NaiveRows;
using test::Random;
using test::random_batch;
using test::same;

struct Pair {
    Batch batch;
    NaiveRows naive;
};

Index without(const Index& index, std::size_t dim) {
    Index out = index;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(dim));
    return out;
}

Index with(const Index& index, std::size_t dim, std::int64_t value) {
    Index out = index;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(dim), value);
    return out;
}

Pair permuted(const Pair& in, Random& random) {
    std::vector<std::uint32_t> order(in.naive.extents.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random.bits);
    Index to;
    for (const std::uint32_t dim : order) {
        to.push_back(in.naive.extents[dim]);
    }
    return {*permute(in.batch, order), in.naive.changed(to, [&](const Index& index) {
                Index from(index.size());
                for (std::size_t i = 0; i < index.size(); ++i) {
                    from[order[i]] = index[i];
                }
                return from;
            })};
}

Pair transposed(const Pair& in, Random& random) {
    const auto last = static_cast<std::int64_t>(in.naive.extents.size()) - 1;
    const auto a = static_cast<std::size_t>(random.pick(0, last));
    const auto b = static_cast<std::size_t>(random.pick(0, last));
    const auto swapped = [&](Index index) {
        std::swap(index[a], index[b]);
        return index;
    };
    return {*transpose(in.batch, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)),
            in.naive.changed(swapped(in.naive.extents), swapped)};
}

Pair with_one_more(const Pair& in, Random& random) {
    const auto dim = static_cast<std::size_t>(random.pick(0, static_cast<std::int64_t>(in.naive.extents.size())));
    return {*unsqueeze(in.batch, static_cast<std::uint32_t>(dim)),
            in.naive.changed(with(in.naive.extents, dim, 1), [&](const Index& index) { return without(index, dim); })};
}

// The first dimension of extent 1, if there is one.
Pair with_one_less(const Pair& in) {
    for (std::size_t dim = 0; dim < in.naive.extents.size(); ++dim) {
        if (in.naive.extents[dim] == 1) {
            return {*squeeze(in.batch, static_cast<std::uint32_t>(dim)),
                    in.naive.changed(without(in.naive.extents, dim),
                                     [&](const Index& index) { return with(index, dim, 0); })};
        }
    }
    return in;
}

Pair expanded(const Pair& in, Random& random) {
    Index to = in.naive.extents;
    for (std::int64_t& extent : to) {
        extent = extent == 1 ? random.pick(1, 3) : extent;
    }
    const std::size_t more = random.pick(0, 1) == 0 ? 0 : 1;
    if (more == 1) {
        to.insert(to.begin(), random.pick(0, 3));
    }
    return {*expand(in.batch, Shape(std::span<const std::int64_t>(to))), in.naive.changed(to, [&](const Index& index) {
                Index from(index.begin() + static_cast<std::ptrdiff_t>(more), index.end());
                for (std::size_t i = 0; i < from.size(); ++i) {
                    from[i] = in.naive.extents[i] == 1 ? 0 : from[i];
                }
                return from;
            })};
}

Pair piece(const Pair& in, Random& random) {
    const auto dim = static_cast<std::size_t>(random.pick(0, static_cast<std::int64_t>(in.naive.extents.size()) - 1));
    const std::int64_t size = random.pick(1, 3);
    const auto pieces = *split(in.batch, static_cast<std::uint32_t>(dim), size);
    if (pieces.empty()) {
        return in;
    }
    const std::int64_t which = random.pick(0, static_cast<std::int64_t>(pieces.size()) - 1);
    Index to = in.naive.extents;
    to[dim] = std::min(size, to[dim] - which * size);
    return {pieces[static_cast<std::size_t>(which)], in.naive.changed(to, [&](Index index) {
                index[dim] += which * size;
                return index;
            })};
}

TEST_CASE("chains of other dimensions show the rows that index arithmetic says, in the same memory") {
    const auto seed = GENERATE(range(0U, 300U));
    CAPTURE(seed);
    Random random(seed);
    const Batch start = random_batch({random.pick(1, 3), random.pick(1, 4), random.pick(1, 3)}, random.bits);
    Pair pair{start, NaiveRows::all(start.leading())};
    for (int step = 0; step < 6; ++step) {
        const bool room = pair.naive.extents.size() < 6 && pair.naive.rows.size() < 2000;
        const bool some = !pair.naive.extents.empty();
        switch (random.pick(0, 5)) {
            case 0:
                pair = permuted(pair, random);
                break;
            case 1:
                pair = some ? transposed(pair, random) : pair;
                break;
            case 2:
                pair = room ? with_one_more(pair, random) : pair;
                break;
            case 3:
                pair = with_one_less(pair);
                break;
            case 4:
                pair = room ? expanded(pair, random) : pair;
                break;
            default:
                pair = some ? piece(pair, random) : pair;
                break;
        }
        CAPTURE(step);
        REQUIRE(holds(pair.batch, pair.naive, start));
    }
    for (const BatchColumn& column : pair.batch.columns()) {
        const View& from = *start.find(column.key);
        const auto* const first = static_cast<const std::byte*>(from.data);
        const auto* const at = static_cast<const std::byte*>(column.view.data);
        CHECK((at >= first && at < first + from.bytes()));
    }
}

TEST_CASE("pieces put together are the batch, whatever their number") {
    const auto seed = GENERATE(range(0U, 100U));
    CAPTURE(seed);
    Random random(seed);
    const Batch batch = random_batch({random.pick(1, 7), random.pick(1, 7)}, random.bits);
    const auto dim = static_cast<std::uint32_t>(random.pick(0, 1));
    const std::int64_t extent = batch.leading()[dim];
    const std::int64_t at = random.pick(0, extent);
    CHECK(same(*cat(*split(batch, dim, std::vector<std::int64_t>{at, 0, extent - at}), dim), batch));
    CHECK(same(*cat(*split(batch, dim, random.pick(1, 8)), dim), batch));
    CHECK(same(*stack(*unbind(batch, dim), dim), batch));
    const std::int64_t count = random.pick(1, 8);
    const auto pieces = *chunk(batch, dim, count);
    CHECK(same(*cat(pieces, dim), batch));
    CHECK(static_cast<std::int64_t>(pieces.size()) <= count);
    for (const Batch& one : pieces) {
        CHECK(one.leading()[dim] <= (extent + count - 1) / count);
    }
}

TEST_CASE("what is repeated is the same memory") {
    std::mt19937_64 random(1);
    const Batch batch = random_batch({1, 2}, random);
    const Batch three = *expand(batch, {3, 2});
    three.find("action")->index(0, 0).as<std::int64_t>()[0] = 42;
    CHECK(three.find("action")->index(0, 2).as<std::int64_t>()[0] == 42);
    CHECK(same(three.index(0, 1), batch.index(0, 0)));
}

TEST_CASE("all dimensions of extent 1 leave together") {
    std::mt19937_64 random(2);
    const Batch batch = random_batch({1, 3, 1, 2, 1}, random);
    CHECK(squeeze(batch).leading() == Shape{3, 2});
    CHECK(same(squeeze(batch), *batch.reshape({3, 2})));
}

TEST_CASE("what a batch cannot become is said") {
    std::mt19937_64 random(3);
    const Batch batch = random_batch({4, 3}, random);
    const std::array<std::uint32_t, 2> twice = {1, 1};
    CHECK_THAT(permute(batch, twice).error().sentence,
               ContainsSubstring("the order [1, 1] does not have each of the 2"));
    CHECK_THAT(transpose(batch, 0, 2).error().sentence, ContainsSubstring("[4, 3] has no leading dimension 2"));
    CHECK_THAT(squeeze(batch, 1).error().sentence, ContainsSubstring("dimension 1 of a batch of [4, 3] cannot"));
    CHECK_THAT(squeeze(batch, 2).error().sentence, ContainsSubstring("no leading dimension 2"));
    CHECK_THAT(unsqueeze(batch, 3).error().sentence, ContainsSubstring("no leading dimension 3"));
    CHECK_THAT(expand(batch, {4, 4}).error().sentence, ContainsSubstring("[4, 3] cannot be expanded to [4, 4]"));
    CHECK_FALSE(expand(batch, {3}));
    CHECK_THAT(split(batch, 0, std::vector<std::int64_t>{2, 3}).error().sentence,
               ContainsSubstring("pieces of [2, 3] do not add up to dimension 0"));
    CHECK_FALSE(split(batch, 0, std::vector<std::int64_t>{2, 1}));
    CHECK_FALSE(split(batch, 0, std::vector<std::int64_t>{5, -1}));
    CHECK_FALSE(split(batch, 0, std::int64_t{0}));
    CHECK_FALSE(chunk(batch, 0, 0));
    CHECK_FALSE(chunk(batch, 2, 1));
    CHECK_FALSE(unbind(batch, 2));
    const Batch deep = *batch.reshape({1, 1, 1, 1, 1, 1, 1, 1, 4, 3});
    CHECK_THAT(unsqueeze(deep, 0).error().sentence, ContainsSubstring("12 are the most"));
    CHECK_FALSE(expand(deep, join(Shape{2}, deep.leading())));
}

}  // namespace

}  // namespace batch_shape_test
