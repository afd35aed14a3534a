// SPDX-License-Identifier: Apache-2.0
// The tree of weights on the device against the CPU's, to the bit: draws, sums and smallest weight, for sizes from one
// level to several, with items that occur twice in a batch.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "replay/sum_tree.hpp"
#include "replay_cuda/prioritised.cuh"
#include "support/catch.hpp"

namespace tree_test {
namespace {

template <auto Kernel, class... Arguments>
void launch(std::uint32_t blocks, std::uint32_t threads, Arguments... arguments) {
    const std::uint32_t grid[3] = {blocks, 1, 1};
    const std::uint32_t block[3] = {threads, 1, 1};
    void* const pointers[] = {static_cast<void*>(&arguments)...};
    tenon::emulated::Launch<Kernel>::run(grid, block, pointers);
}

// Memory of its exact size.
struct OnDevice {
    explicit OnDevice(std::uint32_t items) : learned(1), largest(1), most(1) {
        leaves.resize(std::size_t{lines_for(items)} * kWide);
        tree.leaves = leaves.data();
        tree.items = items;
        std::uint32_t nodes = lines_for(items);
        levels.reserve(std::size_t{2} * kMostLevels);
        do {
            const std::size_t size = std::size_t{lines_for(nodes)} * kWide;
            tree.top = nodes;
            tree.sum[tree.levels] = levels.emplace_back(size).data();
            tree.least[tree.levels] = levels.emplace_back(size, std::numeric_limits<float>::infinity()).data();
            ++tree.levels;
            nodes = lines_for(nodes);
        } while (tree.top > kCrown);
        claims.resize(leaves.size());
        lines.resize(lines_for(items));
        groups.resize((lines.size() + kGroupLines - 1) / kGroupLines * kGroupApart);
        changes = {claims.data(), lines.data(), groups.data(), largest.data(), most.data()};
    }

    void prioritise(const std::vector<std::uint32_t>& items, const std::vector<double>& priorities, Shape shape) {
        const std::vector<std::uint32_t> lane(items.size(), 0);
        const auto rows = static_cast<std::uint32_t>(items.size());
        launch<&replay_prioritise>((rows + kThreads - 1) / kThreads, kThreads, changes, items.data(), lane.data(),
                                   priorities.data(), rows, std::uint32_t{1}, shape, &fault);
        refresh(2);
    }

    void refresh(std::uint32_t blocks) {
        const tn_sample_numbers* const numbers = nullptr;
        const tn_fault* const found = &fault;
        launch<&replay_refresh>(blocks, kThreads, tree, changes, numbers, learned.data(), found);
        launch<&replay_refresh_upper>(1, kThreads, tree);
        REQUIRE(std::ranges::count(claims, 0) == std::ssize(claims));
        REQUIRE(std::ranges::count(lines, 0) == std::ssize(lines));
        REQUIRE(std::ranges::count(groups, 0) == std::ssize(groups));
    }

    Tree tree{};
    Changes changes{};
    std::vector<float> leaves;
    std::vector<std::vector<float>> levels;
    std::vector<Learned> learned;
    std::vector<Claim> claims, largest;
    std::vector<std::uint32_t> most;
    std::vector<std::uint8_t> lines, groups;
    tn_fault fault{};
};

bool same(float a, float b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

// The kernel's draw without the buffer around it.
std::vector<std::uint32_t> draws(const Tree& tree, const std::vector<double>& shares) {
    std::vector<double> crown(kCrown + 1);
    std::vector<float> nodes(kCrown);
    std::copy_n(tree.sum[tree.levels - 1], tree.top, nodes.begin());
    fill_crown(nodes.data(), crown.data());
    std::vector<std::uint32_t> out;
    out.reserve(shares.size());
    for (const double share : shares) {
        out.push_back(find_item(tree, crown.data(), share));
    }
    return out;
}

TEST_CASE("a tree on the device equals the one on the CPU to the bit") {
    const auto size = GENERATE(300U, 4096U, 4113U, 70000U, 1000000U, 1200000U);
    CAPTURE(size);
    const Shape shape{.alpha = 0.6, .eps = 1e-6, .square = 0};
    std::mt19937_64 dice(size);
    std::uniform_real_distribution<double> uniform(0, 1);
    SumTree cpu;
    cpu.resize(size);
    OnDevice device(size);
    for (int batch = 0; batch < 6; ++batch) {
        std::vector<std::uint32_t> items(batch < 2 ? 4096 : 256);
        std::vector<double> priorities(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            items[i] = static_cast<std::uint32_t>(dice() % size);
            items[i] = i % 7 == 6 ? items[i / 2] : items[i];  // twice in the batch
            priorities[i] = i % 11 == 0 ? 0 : 10 * uniform(dice);
        }
        std::vector<float> weights;
        for (const double priority : priorities) {
            weights.push_back(weight_of(priority, shape.eps, shape.alpha));
        }
        cpu.set(items, weights);
        device.prioritise(items, priorities, shape);
        REQUIRE(device.fault.status == TN_OK);

        const std::vector<float> expected = cpu.weights();
        for (std::uint32_t item = 0; item < size; ++item) {
            REQUIRE(same(device.leaves[item], expected[item]));
        }
        std::vector<double> shares(1024);
        for (double& share : shares) {
            share = uniform(dice);
        }
        shares[0] = 0;
        shares[1] = 1 - 1e-16;
        std::vector<std::uint32_t> found(shares.size());
        std::vector<double> spent = shares;
        cpu.find(spent, found);
        REQUIRE(draws(device.tree, shares) == found);
        float least = std::numeric_limits<float>::infinity();
        for (std::uint32_t node = 0; node < device.tree.top; ++node) {
            least = std::min(least, device.tree.least[device.tree.levels - 1][node]);
        }
        REQUIRE(same(least, cpu.smallest()));
    }
}

TEST_CASE("a tree whose leaves were loaded has the sums of one that was set") {
    const std::uint32_t size = 5000;
    OnDevice set(size);
    std::vector<std::uint32_t> items(size);
    std::vector<double> priorities(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        items[i] = i;
        priorities[i] = 0.001 * i;
    }
    set.prioritise(items, priorities, {.alpha = 0.6, .eps = 1e-6, .square = 1});
    OnDevice loaded(size);
    std::copy(set.leaves.begin(), set.leaves.end(), loaded.leaves.begin());
    std::ranges::fill(loaded.lines, 1);
    for (std::size_t at = 0; at < loaded.groups.size(); at += kGroupApart) {
        loaded.groups[at] = 1;
    }
    loaded.refresh(1);
    REQUIRE(loaded.levels == set.levels);
}

TEST_CASE("a priority that is no number is a fault of its row and changes no weight") {
    OnDevice device(300);
    device.prioritise({5, 6}, {1, 2}, {.alpha = 1, .eps = 1e-6, .square = 0});
    const std::vector<float> before = device.leaves;
    device.prioritise({5, 6, 7}, {3, 4, std::numeric_limits<double>::quiet_NaN()},
                      {.alpha = 1, .eps = 1e-6, .square = 0});
    REQUIRE(device.fault.status == TN_INVALID_ARGUMENT);
    REQUIRE(device.fault.where == 2);
    REQUIRE(device.leaves == before);
    REQUIRE(device.learned[0].largest == 2);
}

TEST_CASE("the largest priority of all updates is remembered, in whichever block it comes") {
    OnDevice device(5000);
    const Shape shape{.alpha = 0.6, .eps = 1e-6, .square = 1};
    std::vector<std::uint32_t> items(1000);
    std::vector<double> priorities(items.size(), 1);
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i] = static_cast<std::uint32_t>(i);
    }
    for (const std::size_t at : {std::size_t{999}, std::size_t{0}}) {
        priorities[at] += 2;
        device.prioritise(items, priorities, shape);
        REQUIRE(device.learned[0].largest == priorities[at] * priorities[at]);
        priorities[at] = 0;
        device.prioritise(items, priorities, shape);
        REQUIRE(device.learned[0].largest == 9);
    }
}

}  // namespace
}  // namespace tree_test
