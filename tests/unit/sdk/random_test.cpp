// SPDX-License-Identifier: Apache-2.0
#include "tenon/random.hpp"

#include <array>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace random_test {

using tenon::Rng;
using tenon::test::PluginHost;

TEST_CASE("a generator goes on where its state was taken") {
    PluginHost host;
    Rng one(host.table(), {7, 9});
    one.uniform();
    one.normal();
    const Rng::State state = one.state();
    const std::array expected = {one.uniform(), one.normal(), one.uniform(-3, 5)};
    Rng other(host.table());
    other.set_state(state);
    CHECK(std::array{other.uniform(), other.normal(), other.uniform(-3, 5)} == expected);
}

TEST_CASE("draws are the numbers of abi/random.h") {
    PluginHost host;
    const tn_key key = {3, 4};
    Rng rng(host.table(), key);
    for (std::uint64_t counter = 0; counter < 5; ++counter) {
        const tn_random_block block = tn_philox(key, counter);
        CHECK(rng.uniform() == tn_uniform(block.word[0], block.word[1]));
    }
}

TEST_CASE("normal numbers come from the host, the same one by one and at once") {
    PluginHost host;
    Rng one_by_one(host.table(), {5, 6});
    Rng at_once(host.table(), {5, 6});
    std::vector<double> many(7);
    at_once.normal(many);
    for (const double value : many) {
        CHECK(one_by_one.normal() == value);
    }
    CHECK(one_by_one.uniform() == at_once.uniform());
    at_once.normal(std::span<double>{});
    CHECK(one_by_one.uniform() == at_once.uniform());
}

TEST_CASE("below reaches every number equally often and no other") {
    PluginHost host;
    Rng rng(host.table(), {1, 1});
    std::array<int, 6> count{};
    for (int i = 0; i < 60000; ++i) {
        ++count.at(rng.below(6));
    }
    for (const int times : count) {
        CHECK(times > 9600);  // 10,000 within 4.4 standard deviations
        CHECK(times < 10400);
    }
    CHECK(rng.below(1) == 0);
}

TEST_CASE("uniform keeps its bounds") {
    PluginHost host;
    Rng rng(host.table(), {1, 2});
    double sum = 0;
    for (int i = 0; i < 10000; ++i) {
        const double x = rng.uniform(-2, 6);
        REQUIRE((x >= -2 && x < 6));
        sum += x;
    }
    CHECK(sum / 10000 > 1.9);  // the mean is 2, its standard deviation 0.023
    CHECK(sum / 10000 < 2.1);
    CHECK(rng.uniform(3, 3) == 3);
}

TEST_CASE("every step and lane has a generator of its own") {
    PluginHost host;
    std::set<std::uint64_t> seen;
    for (std::uint64_t step = 0; step < 20; ++step) {
        for (std::uint64_t lane = 0; lane < 20; ++lane) {
            seen.insert(Rng::of(host.table(), {1, 2}, step, lane).bits());
        }
    }
    CHECK(seen.size() == 400);
    CHECK(Rng::of(host.table(), {1, 2}, 3, 4).bits() == Rng::of(host.table(), {1, 2}, 3, 4).bits());
}

TEST_CASE("uniform pairs are the two numbers of every block") {
    tenon::test::PluginHost host;
    for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 16U, 19U}) {
        CAPTURE(count);
        const tn_key key{3, 4};
        const std::uint64_t start = (std::uint64_t{1} << 32) - 2;
        tenon::Rng rng(host.table(), key, start);
        std::vector<double> numbers(count);
        rng.uniform_pairs(numbers);
        for (std::size_t i = 0; i < count; ++i) {
            const tn_random_block block = tn_philox(key, start + i / 2);
            const std::size_t word = i % 2 * 2;
            CHECK(numbers[i] == tn_uniform(block.word[word], block.word[word + 1]));
        }
        CHECK(rng.state().counter == start + (count + 1) / 2);
    }
}

TEST_CASE("uniform numbers drawn together are those drawn one by one") {
    tenon::test::PluginHost host;
    for (const std::size_t count : {0U, 1U, 3U, 4U, 5U, 8U, 11U}) {
        tenon::Rng one(host.table(), {3, 4}, (std::uint64_t{1} << 32) - 2);
        tenon::Rng all(one);
        std::vector<double> numbers(count);
        all.uniform(-2, 5, numbers);
        for (const double number : numbers) {
            CHECK(number == one.uniform(-2, 5));
        }
        CHECK(all.uniform() == one.uniform());
    }
}

}  // namespace random_test
