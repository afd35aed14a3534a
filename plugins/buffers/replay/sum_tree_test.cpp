// SPDX-License-Identifier: Apache-2.0
// Compares the tree with plain loops over plain weights.
#include "sum_tree.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace sum_tree_test {

namespace {

struct Dice {
    explicit Dice(unsigned seed) : engine(seed) {}
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); }
    double uniform() { return static_cast<double>(engine()) / 4294967296.0; }
    std::mt19937 engine;
};

struct Plain {
    std::vector<float> weights;

    [[nodiscard]] double sum() const {
        double out = 0;
        for (const float w : weights) {
            out += w;
        }
        return out;
    }
    [[nodiscard]] float smallest() const {
        float out = INFINITY;
        for (const float w : weights) {
            out = w > 0 ? std::min(out, w) : out;
        }
        return out;
    }
    // The range of prefix sums that belongs to the item.
    [[nodiscard]] std::pair<double, double> range(std::uint32_t item) const {
        double before = 0;
        for (std::uint32_t i = 0; i < item; ++i) {
            before += weights[i];
        }
        return {before, before + weights[item]};
    }
};

}  // namespace

TEST_CASE("sums, the smallest weight and what is found are those of plain loops, whatever has been set") {
    const auto items = GENERATE(1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 4096U, 5000U);
    const auto seed = GENERATE(range(0U, 5U));
    CAPTURE(items, seed);
    Dice dice(seed);
    SumTree tree;
    tree.resize(items);
    Plain plain{std::vector<float>(items)};
    REQUIRE(tree.sum() == 0);
    REQUIRE(std::isinf(tree.smallest()));
    for (int round = 0; round < 30; ++round) {
        std::vector<std::uint32_t> at(1 + dice.below(300));
        std::vector<float> weights(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) {
            at[i] = dice.below(items);
            weights[i] = dice.below(4) == 0 ? 0 : static_cast<float>(std::pow(10.0, 8 * dice.uniform() - 4));
            plain.weights[at[i]] = weights[i];  // of an item that is named twice the last counts
        }
        tree.set(at, weights);
        REQUIRE(tree.sum() == Catch::Approx(plain.sum()).epsilon(1e-5));
        REQUIRE(tree.smallest() == plain.smallest());
        if (plain.sum() == 0) {
            continue;
        }
        std::vector<double> shares(100);
        for (double& share : shares) {
            share = dice.uniform();
        }
        shares.front() = 0;
        shares.back() = std::nextafter(1.0, 0.0);
        const std::vector<double> asked = shares;
        std::vector<std::uint32_t> found(shares.size());
        tree.find(shares, found);
        for (std::size_t i = 0; i < found.size(); ++i) {
            CAPTURE(i, asked[i], found[i]);
            REQUIRE(found[i] < items);
            REQUIRE(plain.weights[found[i]] > 0);
            const auto [begin, end] = plain.range(found[i]);
            const double slack = 1e-5 * plain.sum();  // sums are floats
            REQUIRE(asked[i] * plain.sum() >= begin - slack);
            REQUIRE(asked[i] * plain.sum() <= end + slack);
        }
    }
}

TEST_CASE("a tree made anew from its weights is the same to the bit") {
    Dice dice(7);
    SumTree tree;
    tree.resize(3000);
    for (int round = 0; round < 50; ++round) {
        const std::vector<std::uint32_t> at = {dice.below(3000), dice.below(3000), dice.below(3000)};
        const std::vector<float> weights = {static_cast<float>(dice.uniform()), 0, static_cast<float>(dice.uniform())};
        tree.set(at, weights);
    }
    SumTree other;
    other.assign(tree.weights());
    CHECK(other.weights() == tree.weights());
    CHECK(other.sum() == tree.sum());
    CHECK(other.smallest() == tree.smallest());
    for (int i = 0; i < 1000; ++i) {
        std::vector<double> shares = {dice.uniform()};
        std::vector<double> same = shares;
        std::vector<std::uint32_t> found(1);
        std::vector<std::uint32_t> again(1);
        tree.find(shares, found);
        other.find(same, again);
        REQUIRE(found == again);
    }
}

}  // namespace sum_tree_test
