// SPDX-License-Identifier: Apache-2.0
// Compares prioritised sequences with a slow reference, which lists every sequence of every episode, on an artificial
// ring buffer that is overwritten repeatedly.
#include "prioritised_slices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace prioritised_slices_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

constexpr auto kSlices = tenon::sampler<PrioritisedSlices>("prioritised_slices", "sequences by priority");

struct Rules {
    std::uint32_t length = 4;
    std::uint32_t stride = 2;
    bool strict = false;
    std::uint32_t least = 1;
    double eta = 0.9;
    double alpha = 0.6;
    double beta = 0.4;
    double eps = 1e-8;

    [[nodiscard]] double weight(double priority) const { return std::pow(priority + eps, alpha); }
    [[nodiscard]] auto set() const {
        return [*this](auto& options) {
            options["length"].integer = length;
            options["stride"].integer = stride;
            options["strict"].integer = strict ? 1 : 0;
            options["min_length"].integer = least;
            options["eta"].real = eta;
            options["alpha"].real = alpha;
            options["beta"].real = beta;
            options["eps"].real = eps;
        };
    }
};

// The priorities of the sequences that begin at each step.
struct World : ring_world::World {
    World(SamplerRig& rig, std::uint32_t slot_count, std::uint32_t lane_count)
        : ring_world::World(rig, slot_count, lane_count), sequences(lane_count) {}

    // Real steps of the sequence that begins at step `start` of a lane; none if there is no such sequence.
    [[nodiscard]] std::optional<std::uint32_t> length_of(const Rules& rules, std::size_t lane,
                                                         std::size_t start) const {
        const std::size_t stop = std::min(end_of(lane, start), start + rules.length - 1);
        const auto real = static_cast<std::uint32_t>(stop + 1 - start);
        const bool on_stride = (start - begin_of(lane, start)) % rules.stride == 0;
        const bool ended = ends[lane][stop] != 0;
        if (real == rules.length ? on_stride || (rules.strict && ended) : !rules.strict && on_stride && ended) {
            return real >= rules.least ? std::optional(real) : std::nullopt;
        }
        return std::nullopt;
    }

    // Adds those that are new and takes those away that have been overwritten.
    void follow(const Rules& rules, double newest) {
        for (std::size_t lane = 0; lane < ends.size(); ++lane) {
            std::erase_if(sequences[lane], [&](const auto& each) { return each.first < oldest(lane); });
            for (std::size_t start = oldest(lane); start < ends[lane].size(); ++start) {
                if (length_of(rules, lane, start)) {
                    sequences[lane].try_emplace(start, newest);
                }
            }
        }
    }

    template <class Each>
    void each(const Each& each) const {
        for (std::size_t lane = 0; lane < sequences.size(); ++lane) {
            for (const auto& [start, priority] : sequences[lane]) {
                if (priority) {
                    each(lane, start, *priority);
                }
            }
        }
    }

    std::vector<std::map<std::size_t, std::optional<double>>> sequences;  // [lane][start]; none: not to be drawn
};

constexpr std::uint32_t kRows = 16;

}  // namespace

TEST_CASE("sequences are those of a naive model, with its priorities and its weights") {
    const auto seed = GENERATE(range(0U, 60U));
    CAPTURE(seed);
    std::mt19937 dice(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
    Rules rules{.eta = 0.7, .alpha = 0.7, .beta = 0.5, .eps = 1e-3};
    rules.length = 1 + below(6);
    rules.stride = 1 + below(rules.length);
    rules.strict = below(2) == 0;
    rules.least = rules.strict ? 1 : 1 + below(rules.length);
    const std::uint32_t burn_in = below(rules.length);
    SamplerRig rig(kSlices, rules.set());
    rig.arrays = rules.length;
    World world(rig, 12 + below(20), 1 + below(3));
    std::vector<float> weights(std::size_t{kRows} * rules.length);
    std::vector<std::uint8_t> mask(weights.size(), 1);
    rig.columns = {weights.data(), mask.data()};
    std::optional<double> largest;
    int taken = 0;
    for (int round = 0; round < 80; ++round) {
        for (std::uint32_t i = below(4) + (round == 0 ? 1 : 0); i > 0; --i) {
            world.step(dice, 7);
        }
        if (below(40) == 0 && world.ends.size() > 1 && world.gone == ~std::size_t{0}) {
            world.lose(below(static_cast<std::uint32_t>(world.ends.size())));
            world.step(dice, 7);
        }
        world.follow(rules, largest.value_or(1.0));
        double smallest = INFINITY;
        world.each([&](std::size_t, std::size_t, double p) { smallest = std::min(smallest, rules.weight(p)); });
        const tn_status status = rig.sample(world.first, world.count, kRows, static_cast<std::uint64_t>(round));
        REQUIRE(status == (smallest < INFINITY ? TN_OK : TN_FAILED_PRECONDITION));
        if (status != TN_OK) {
            continue;
        }
        ++taken;
        std::vector<double> given;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            given.push_back(static_cast<double>(below(1000)) / 300);
        }
        std::map<std::pair<std::size_t, std::size_t>, double> priorities;
        for (std::size_t row = 0; row < kRows; ++row) {
            const std::size_t lane = rig.lanes[row];
            const std::size_t start = world.step_at(lane, rig.slots[row]);
            CAPTURE(round, row, lane, start);
            REQUIRE(world.sequences[lane].contains(start));
            REQUIRE(world.sequences[lane].at(start));
            const std::uint32_t real = *world.length_of(rules, lane, start);
            double most = 0;
            double sum = 0;
            for (std::uint32_t t = 0; t < rules.length; ++t) {
                const std::size_t place = std::size_t{t} * kRows + row;
                REQUIRE(rig.lanes[place] == lane);
                REQUIRE(world.step_at(lane, rig.slots[place]) == start + std::min(t, real - 1));
                REQUIRE((mask[place] == 1) == (t < real));
                const double expected =
                    std::pow(rules.weight(*world.sequences[lane].at(start)) / smallest, -rules.beta);
                REQUIRE(weights[place] == Catch::Approx(expected).epsilon(1e-5));
                if (t >= burn_in && t < real) {
                    most = std::max(most, given[place]);
                    sum += given[place];
                }
            }
            priorities[{lane, start}] =
                real <= burn_in ? -1 : rules.eta * most + (1 - rules.eta) * sum / (real - burn_in);
            largest = std::max(largest.value_or(0), std::max(priorities[{lane, start}], 0.0));
        }
        REQUIRE(rig.prioritise(given, burn_in) == TN_OK);
        for (const auto& [at, priority] : priorities) {
            world.sequences[at.first].at(at.second) = priority < 0 ? std::nullopt : std::optional(priority);
        }
    }
    CHECK(taken > 20);
}

TEST_CASE("sequences are drawn as often as their weights say") {
    const Rules rules{.length = 3, .stride = 2};
    SamplerRig rig(kSlices, rules.set());
    rig.arrays = rules.length;
    World world(rig, 40, 2);
    for (int i = 0; i < 30; ++i) {
        world.step({i % 7 == 0 ? 1 : 0, i % 5 == 0 ? 2 : 0});
    }
    constexpr std::uint32_t kMany = 100000;
    std::vector<float> weights(std::size_t{kMany} * rules.length);
    std::vector<std::uint8_t> mask(weights.size());
    rig.columns = {weights.data(), mask.data()};
    REQUIRE(rig.sample(world.first, world.count, 500, 0) == TN_OK);
    std::vector<double> given(std::size_t{500} * rules.length);
    const auto priority_of = [](std::uint32_t slot, std::uint32_t lane) { return 0.1 * (1 + slot) * (1 + lane); };
    for (std::size_t place = 0; place < given.size(); ++place) {
        given[place] = priority_of(rig.slots[place % 500], rig.lanes[place % 500]);  // the same for all steps
    }
    REQUIRE(rig.prioritise(given) == TN_OK);
    REQUIRE(rig.sample(world.first, world.count, kMany, 1) == TN_OK);
    world.follow(rules, 1);
    std::map<std::pair<std::size_t, std::size_t>, double> times;
    for (std::size_t row = 0; row < kMany; ++row) {
        times[{rig.lanes[row], world.step_at(rig.lanes[row], rig.slots[row])}] += 1;
    }
    std::map<std::pair<std::size_t, std::size_t>, double> shares;
    world.each([&](std::size_t lane, std::size_t start, double) {
        const auto slot = static_cast<std::uint32_t>(start % world.slots);
        shares[{lane, start}] = rules.weight(priority_of(slot, static_cast<std::uint32_t>(lane)));
    });
    REQUIRE(times.size() == shares.size());
    CHECK(ring_world::excess(times, shares, kMany) < 5);
}

TEST_CASE("where no sequence fits, and where options contradict each other, the sentence says what to do") {
    SamplerRig rig(kSlices, Rules{.length = 30, .stride = 1, .strict = true}.set());
    World world(rig, 20, 1);
    world.step({0});
    CHECK(rig.sample(world.first, world.count, 1) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error,
               ContainsSubstring("no 30 steps of one episode") && ContainsSubstring("use shorter sequences"));
    tenon::test::PluginHost host;
    tenon::test::PluginInstance wrong(host, kSlices, 0, Rules{.length = 4, .least = 5}.set());
    CHECK(wrong.status() == TN_INVALID_ARGUMENT);
    CHECK_THAT(host.error, ContainsSubstring("min_length is 5, more than the 4 steps of a sequence"));
}

TEST_CASE("a saved sampler of sequences goes on to the bit, and a damaged one is refused") {
    const Rules rules{.length = 3, .stride = 1};
    SamplerRig one(kSlices, rules.set());
    SamplerRig two(kSlices, rules.set());
    World world(one, 20, 2);
    std::vector<float> weights(std::size_t{kRows} * rules.length);
    std::vector<std::uint8_t> mask(weights.size());
    std::vector<float> other_weights(weights.size());
    std::vector<std::uint8_t> other_mask(weights.size());
    one.columns = {weights.data(), mask.data()};
    two.columns = {other_weights.data(), other_mask.data()};
    one.arrays = two.arrays = rules.length;
    std::vector<double> given;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        given.push_back(0.1 * static_cast<double>(i));
    }
    tenon::test::StateBytes state;
    for (std::uint64_t counter = 0; counter < 40; ++counter) {
        const int i = static_cast<int>(counter);
        world.step({i % 7 == 3 ? 1 : 0, i % 5 == 4 ? 2 : 0});
        world.show(two);
        if (counter < 4) {
            continue;
        }
        REQUIRE(one.sample(world.first, world.count, kRows, counter) == TN_OK);
        REQUIRE(one.prioritise(given) == TN_OK);
        if (counter == 25) {  // in the midst of both lanes' episodes
            REQUIRE(state.save(one.instance, 0, 0) == TN_OK);
            REQUIRE(state.load(two.instance, 0, 0) == TN_OK);
        } else if (counter > 25) {
            REQUIRE(two.sample(world.first, world.count, kRows, counter) == TN_OK);
            REQUIRE(two.prioritise(given) == TN_OK);
            REQUIRE(one.slots == two.slots);
            REQUIRE(one.lanes == two.lanes);
            REQUIRE(weights == other_weights);
            REQUIRE(mask == other_mask);
        }
    }
    state.bytes[0] = static_cast<unsigned char>(state.bytes[0] + 1);  // the number of slots
    CHECK(state.load(two.instance, 0, 0) == TN_DATA_LOSS);
}

}  // namespace prioritised_slices_test
