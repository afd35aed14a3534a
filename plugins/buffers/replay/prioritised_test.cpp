// SPDX-License-Identifier: Apache-2.0
// Compares prioritised replay with a slow reference on an artificial ring buffer that is overwritten repeatedly.
#include "prioritised.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace prioritised_test {

using tenon::test::SamplerRig;

namespace {

constexpr auto kPrioritised = tenon::sampler<Prioritised>("prioritised", "by priority");

// Ring buffers of synchronous lanes, with a record of every transition's priority.
struct Ring {
    Ring(std::uint32_t slot_count, std::uint32_t lane_count)
        : slots(slot_count), lanes(lane_count), raw(lanes, Lane(slots)), first(lanes, 0), count(lanes, 0) {}

    void step(double newest) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (gone == lane) {
                continue;
            }
            raw[lane][head] = newest;
            if (count[lane] == slots - 1) {
                first[lane] = (first[lane] + 1) % slots;
            } else {
                ++count[lane];
            }
        }
        head = (head + 1) % slots;
        for (Lane& lane : raw) {
            lane[head].reset();
        }
        ++appended;
    }

    void lose(std::uint32_t lane) {
        gone = lane;
        count[lane] = 0;
        raw[lane].assign(slots, std::nullopt);
    }

    using Lane = std::vector<std::optional<double>>;
    std::uint32_t slots;
    std::uint32_t lanes;
    std::vector<Lane> raw;  // [lane][slot]: the priority; none where no transition is held
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> count;
    std::uint32_t head = 0;
    std::uint64_t appended = 0;
    std::uint32_t gone = ~0U;
};

struct Rules {
    double alpha = 0.6;
    double beta = 0.4;
    double eps = 1e-8;

    [[nodiscard]] double weight(double priority) const { return std::pow(priority + eps, alpha); }
    // The weight of new transitions among those that are held; none if nothing has been updated yet.
    [[nodiscard]] static double largest(const Ring& ring) {
        double out = -1;
        for (const Ring::Lane& lane : ring.raw) {
            for (const auto& priority : lane) {
                out = priority ? std::max(out, *priority) : out;
            }
        }
        return out;
    }
    [[nodiscard]] double smallest(const Ring& ring) const {
        double out = INFINITY;
        for (const Ring::Lane& lane : ring.raw) {
            for (const auto& priority : lane) {
                out = priority ? std::min(out, weight(*priority)) : out;
            }
        }
        return out;
    }
};

double priority_of(std::uint32_t slot, std::uint32_t lane) {
    return 0.1 * (1 + slot) * (1 + lane);
}

// A full ring buffer whose transitions, drawn so many times, have got these priorities.
Ring ring_with_priorities(SamplerRig& rig, std::uint32_t rows, std::vector<float>& weights) {
    Ring ring(10, 3);
    rig.ring = ring.slots;
    for (int i = 0; i < 14; ++i) {
        ring.step(1);
    }
    rig.appended = ring.appended;
    REQUIRE(rig.sample(ring.first, ring.count, rows, 0, &weights) == TN_OK);
    std::vector<double> given(rows);
    for (std::size_t row = 0; row < given.size(); ++row) {
        given[row] = priority_of(rig.slots[row], rig.lanes[row]);
    }
    REQUIRE(rig.prioritise(given) == TN_OK);
    return ring;
}

}  // namespace

TEST_CASE("what is drawn is held, weighs by the rule, and new transitions begin with the largest priority so far") {
    const auto seed = GENERATE(range(0U, 20U));
    CAPTURE(seed);
    std::mt19937 dice(seed);
    const Rules rules{.alpha = 0.7, .beta = 0.5, .eps = 1e-3};
    const bool square = seed % 2 == 1;
    SamplerRig rig(kPrioritised, [&](auto& options) {
        options["alpha"].real = rules.alpha;
        options["beta"].real = rules.beta;
        options["eps"].real = rules.eps;
        options["priority"].text = tenon::to_str(square ? "square" : "abs");
    });
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
    Ring ring(2 + below(9), 1 + below(4));
    rig.ring = ring.slots;
    std::optional<double> largest;
    for (int round = 0; round < 60; ++round) {
        const auto steps = static_cast<int>(dice() % 4 + (round == 0 ? 1 : 0));
        for (int i = 0; i < steps; ++i) {
            ring.step(largest.value_or(1.0));
        }
        if (dice() % 30 == 0 && ring.lanes > 1 && ring.gone == ~0U) {
            ring.lose(below(ring.lanes));
            ring.step(largest.value_or(1.0));
        }
        rig.appended = ring.appended;
        std::vector<float> weights(32);
        REQUIRE(rig.sample(ring.first, ring.count, 32, static_cast<std::uint64_t>(round), &weights) == TN_OK);
        std::vector<double> given(32);
        for (std::size_t row = 0; row < 32; ++row) {
            CAPTURE(round, row, rig.slots[row], rig.lanes[row]);
            const auto& priority = ring.raw[rig.lanes[row]][rig.slots[row]];
            REQUIRE(priority);
            REQUIRE(weights[row] ==
                    Catch::Approx(std::pow(rules.weight(*priority) / rules.smallest(ring), -rules.beta)).epsilon(1e-5));
            given[row] = static_cast<double>(dice() % 1000) / 300;
        }
        REQUIRE(rig.prioritise(given) == TN_OK);
        for (std::size_t row = 0; row < 32; ++row) {
            const double priority = square ? given[row] * given[row] : given[row];
            ring.raw[rig.lanes[row]][rig.slots[row]] = priority;
            largest = std::max(largest.value_or(priority), priority);
        }
    }
}

TEST_CASE("where alpha moves, all weights follow, and new transitions begin with the largest priority that is held") {
    const auto seed = GENERATE(range(0U, 20U));
    CAPTURE(seed);
    std::mt19937 dice(seed);
    Rules rules{.alpha = seed % 4 == 0 ? 0.0 : 0.7, .beta = 0.5, .eps = 1e-3};
    const bool within = seed % 2 == 0;
    SamplerRig rig(kPrioritised, [&](auto& options) {
        options["alpha"].real = rules.alpha;
        options["beta"].real = rules.beta;
        options["eps"].real = rules.eps;
        options["max_priority_within_buffer"].integer = within ? 1 : 0;
    });
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
    Ring ring(3 + below(9), 1 + below(4));
    rig.ring = ring.slots;
    std::optional<double> largest;
    for (int round = 0; round < 60; ++round) {
        const double newest =
            largest && within && Rules::largest(ring) >= 0 ? Rules::largest(ring) : largest.value_or(1.0);
        for (std::uint32_t i = below(4) + (round == 0 ? 1 : 0); i > 0; --i) {
            ring.step(newest);
        }
        rules.alpha = below(3) == 0 ? 0.25 * below(5) : rules.alpha;
        rig.options = {rules.alpha, rules.beta, rules.eps, 0, 0, 0, 0};
        rig.appended = ring.appended;
        std::vector<float> weights(32);
        REQUIRE(rig.sample(ring.first, ring.count, 32, static_cast<std::uint64_t>(round), &weights) == TN_OK);
        std::vector<double> given(32);
        for (std::size_t row = 0; row < 32; ++row) {
            CAPTURE(round, row, rig.slots[row], rig.lanes[row], rules.alpha);
            const auto& priority = ring.raw[rig.lanes[row]][rig.slots[row]];
            REQUIRE(priority);
            REQUIRE(weights[row] ==
                    Catch::Approx(std::pow(rules.weight(*priority) / rules.smallest(ring), -rules.beta)).epsilon(1e-5));
            given[row] = static_cast<double>(dice() % 1000) / 300;
        }
        REQUIRE(rig.prioritise(given) == TN_OK);
        for (std::size_t row = 0; row < 32; ++row) {
            ring.raw[rig.lanes[row]][rig.slots[row]] = given[row];
            largest = std::max(largest.value_or(given[row]), given[row]);
        }
    }
}

TEST_CASE("a stratified row is drawn from its part of the sum") {
    SamplerRig rig(kPrioritised, [](auto& options) { options["stratified"].integer = 1; });
    std::vector<float> weights(400);
    const Ring ring = ring_with_priorities(rig, 400, weights);
    std::vector<double> sums = {0};  // of the weights up to each item, by slot and then by lane
    const Rules rules;
    for (std::uint32_t item = 0; item < 30; ++item) {
        const bool held = ring.raw[item % 3][item / 3].has_value();
        sums.push_back(sums.back() + (held ? rules.weight(priority_of(item / 3, item % 3)) : 0));
    }
    REQUIRE(rig.sample(ring.first, ring.count, 50, 1, &weights) == TN_OK);
    for (std::size_t row = 0; row < 50; ++row) {
        const std::size_t item = rig.slots[row] * 3 + rig.lanes[row];
        CAPTURE(row, item);
        CHECK(sums[item] <= sums.back() * (static_cast<double>(row) + 1) / 50 + 1e-4);
        CHECK(sums[item + 1] >= sums.back() * static_cast<double>(row) / 50 - 1e-4);
    }
}

TEST_CASE("transitions are drawn as often as their weights say") {
    SamplerRig rig(kPrioritised);
    std::vector<float> weights(200000);
    const Ring ring = ring_with_priorities(rig, 1000, weights);
    REQUIRE(rig.sample(ring.first, ring.count, 200000, 1, &weights) == TN_OK);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> times;
    for (std::size_t row = 0; row < rig.slots.size(); ++row) {
        times[{rig.slots[row], rig.lanes[row]}] += 1;
    }
    REQUIRE(times.size() == 27);
    const Rules rules;
    double all = 0;
    for (const auto& [at, count] : times) {
        all += rules.weight(priority_of(at.first, at.second));
    }
    double chi_square = 0;
    for (const auto& [at, count] : times) {
        const double expected = 200000 * rules.weight(priority_of(at.first, at.second)) / all;
        chi_square += (count - expected) * (count - expected) / expected;
    }
    CHECK(chi_square < 26 + 5 * std::sqrt(2 * 26.0));  // five deviations above its mean, 26 degrees of freedom
}

TEST_CASE("beta is what the schedule has made of it") {
    SamplerRig rig(kPrioritised);
    std::vector<float> weights(64);
    rig.appended = 3;
    REQUIRE(rig.sample({0}, {3}, 64, 0, &weights) == TN_OK);
    std::vector<double> given(64, 0.5);
    for (std::size_t row = 0; row < 64; ++row) {
        given[row] = rig.slots[row] == rig.slots[0] ? 2 : 0.5;
    }
    REQUIRE(rig.prioritise(given) == TN_OK);
    for (const double beta : {0.0, 0.4, 1.0}) {
        rig.options = {0.6, beta, 1e-8, 0};
        REQUIRE(rig.sample({0}, {3}, 64, 1, &weights) == TN_OK);
        const float least = *std::min_element(weights.begin(), weights.end());
        CHECK(least >= std::pow(4.0F, -0.6F * static_cast<float>(beta)) * 0.9999F);
        CHECK((beta == 0) == (least == 1));
    }
}

TEST_CASE("a saved sampler goes on to the bit, and a damaged one is refused") {
    const bool moves = GENERATE(false, true);  // alpha; then new transitions have the largest priority that is held
    const auto set = [&](auto& options) { options["max_priority_within_buffer"].integer = moves ? 1 : 0; };
    SamplerRig one(kPrioritised, set);
    SamplerRig two(kPrioritised, set);
    const auto move_to = [&](double alpha) { one.options = two.options = {alpha, 0.4, 1e-8, 0, 0, 0, 0}; };
    std::vector<float> weights(16);
    one.appended = 12;
    REQUIRE(one.sample({3, 3}, {9, 9}, 16, 0, &weights) == TN_OK);
    std::vector<double> given;
    for (int i = 0; i < 16; ++i) {
        given.push_back(0.3 * i);
    }
    REQUIRE(one.prioritise(given) == TN_OK);
    if (moves) {
        move_to(0.5);
        one.appended = 13;
        REQUIRE(one.sample({4, 4}, {9, 9}, 16, 1, &weights) == TN_OK);
        REQUIRE(one.prioritise(given) == TN_OK);
    }
    tenon::test::StateBytes state;
    REQUIRE(state.save(one.instance, 0, 0) == TN_OK);
    REQUIRE(state.load(two.instance, 0, 0) == TN_OK);
    one.appended = two.appended = 15;
    for (std::uint64_t counter = 1; counter < 10; ++counter) {
        std::vector<float> other(16);
        if (moves) {
            move_to(counter < 4 ? 0.5 : 0.8);
        }
        REQUIRE(one.sample({6, 6}, {9, 9}, 16, counter, &weights) == TN_OK);
        REQUIRE(two.sample({6, 6}, {9, 9}, 16, counter, &other) == TN_OK);
        REQUIRE(one.slots == two.slots);
        REQUIRE(one.lanes == two.lanes);
        REQUIRE(weights == other);
        REQUIRE(one.prioritise(given) == TN_OK);
        REQUIRE(two.prioritise(given) == TN_OK);
    }
    state.bytes[0] = static_cast<unsigned char>(state.bytes[0] + 1);  // the number of slots
    CHECK(state.load(two.instance, 0, 0) == TN_DATA_LOSS);
}

}  // namespace prioritised_test
