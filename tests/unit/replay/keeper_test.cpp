// SPDX-License-Identifier: Apache-2.0
// What keepers keep of a random world, against the plain record of what happened there.
#include "experience/replay/keeper.hpp"

#include <algorithm>
#include <numeric>

#include "base/random/key.hpp"
#include "experience/replay/gather.hpp"
#include "support/catch.hpp"
#include "support/counted_allocations.hpp"
#include "world.hpp"

namespace keeper_test {

namespace {

using namespace tenon;
using test::Transition;

constexpr std::int64_t kWidth = 3;
const std::vector<std::string> kKeys = {"observation",     "action",         "next.reward", "next.observation",
                                        "next.terminated", "next.truncated", "next.done"};

Keeper keeper_of(const test::World& world, std::uint32_t rows, Keeping keeping, std::uint64_t seed = 1) {
    Result<Keeper> made =
        Keeper::make(world.storage, rows, {.keeping = keeping, .by = "reward", .key = make_key(seed, "buffer/write")});
    REQUIRE(made);
    return std::move(*made);
}

// All transitions that samplers can choose, gathered as they would be.
std::vector<Transition> gathered(const Keeper& keeper) {
    const SamplerPlan all{.sampler = "replay/test", .array_count = 1, .lines = {{0, "*", "*"}}, .columns = {}};
    const Storage& storage = keeper.storage();
    const Result<GatherPlan> plan = GatherPlan::make(storage, all, kKeys, "objective test");
    REQUIRE(plan);
    const std::uint32_t rows = storage.view().count[0];
    REQUIRE(storage.view().total == rows);
    std::vector<std::uint32_t> slots(rows);
    std::iota(slots.begin(), slots.end(), 0U);
    const std::vector<std::uint32_t> lanes(rows, 0);
    REQUIRE(std::ranges::all_of(slots, [&](std::uint32_t slot) { return storage.ring().holds(slot, 0); }));
    CHECK_FALSE(storage.ring().holds(rows, 0));
    std::vector<Slab> memory;
    std::vector<void*> columns;
    for (const Port& port : plan->ports()) {
        memory.push_back(*Slab::make(row_bytes(port) * (rows + 1)));
        columns.push_back(memory.back().data());
    }
    const std::uint32_t* const slot_array = slots.data();
    const std::uint32_t* const lane_array = lanes.data();
    plan->gather({.slots = &slot_array, .lanes = &lane_array, .columns = nullptr}, 0, rows, columns.data());
    std::vector<Transition> out(rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
        const auto floats = [&](std::size_t port) {
            const float* const row = memory[port].as<float>() + std::size_t{i} * kWidth;
            return std::vector<float>(row, row + kWidth);
        };
        out[i].observation = floats(0);
        out[i].action = memory[1].as<std::int64_t>()[i];
        out[i].reward = memory[2].as<float>()[i];
        out[i].next_observation = floats(3);
        out[i].terminated = memory[4].as<std::uint8_t>()[i];
        out[i].truncated = memory[5].as<std::uint8_t>()[i];
        CHECK(memory[6].as<std::uint8_t>()[i] == (out[i].terminated | out[i].truncated));
        CHECK(memory[4].as<std::uint8_t>()[i] == storage.view().terminated[i]);
        CHECK(memory[5].as<std::uint8_t>()[i] == storage.view().truncated[i]);
    }
    return out;
}

bool same(const Transition& a, const Transition& b) {
    return a.observation == b.observation && a.next_observation == b.next_observation && a.action == b.action &&
           a.reward == b.reward && a.terminated == b.terminated && a.truncated == b.truncated;
}

void check_same(const std::vector<Transition>& are, const std::vector<Transition>& expected) {
    REQUIRE(are.size() == expected.size());
    for (std::size_t i = 0; i < are.size(); ++i) {
        CAPTURE(i);
        CHECK(same(are[i], expected[i]));
    }
}

void step(test::World& world) {
    world.step();
}

// With rewards of 0, 1 and 2, so that the scores of many episodes are equal.
void step_with_ties(test::World& world) {
    const std::uint32_t slot = world.storage.head();
    world.step();
    for (std::uint32_t lane = 0; lane < world.record.size(); ++lane) {
        Transition& now = world.record[lane].back();
        now.reward = static_cast<float>(static_cast<int>(now.reward) % 3);
        *static_cast<float*>(row_at(world.storage.find("reward")->view, slot, lane)) = now.reward;
    }
}

// Rounds of steps, after each of which the keeper takes what has come.
template <class F>
void go(test::World& world, Keeper& keeper, std::uint32_t rounds, std::uint32_t most, test::Dice& random, F after,
        void (*take_step)(test::World&) = step) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::uint32_t steps = 1 + random() % most; steps > 0; --steps) {
            take_step(world);
        }
        keeper.take(world.storage);
        after();
    }
}

// Algorithm R on a list, with the same draws.
std::vector<Transition> drawn(const test::World& world, std::size_t rows, std::uint64_t seed) {
    std::vector<Transition> out;
    const tn_key key = make_key(seed, "buffer/write");
    std::uint64_t seen = 0;
    for (std::size_t step = 0; step < world.record[0].size(); ++step) {
        for (const auto& lane : world.record) {
            const std::uint64_t number = seen++;
            if (out.size() < rows) {
                out.push_back(lane[step]);
                continue;
            }
            const tn_random_block block = tn_philox(key, number);
            const std::uint64_t at = (block.word[0] * seen + ((block.word[1] * seen) >> 32U)) >> 32U;
            if (at < rows) {
                out[at] = lane[step];
            }
        }
    }
    return out;
}

struct Scored {
    double score;
    std::vector<Transition> steps;
};

// The best episodes, from lists: what drops out is chosen one by one.
class NaiveBest {
public:
    explicit NaiveBest(std::size_t rows) : rows_(rows) {}

    void offer(const std::vector<Transition>& steps) {
        double score = 0;
        for (const Transition& step : steps) {
            score += step.reward;
        }
        if (steps.size() > rows_) {
            return;
        }
        std::vector<Scored> left = kept_;
        while (size(left) + steps.size() > rows_) {
            const auto worst = std::ranges::min_element(left, {}, &Scored::score);
            if (worst == left.end() || worst->score >= score) {
                return;
            }
            left.erase(worst);
        }
        left.push_back({score, steps});
        kept_ = left;
    }

    [[nodiscard]] std::vector<Transition> transitions() const {
        std::vector<Transition> out;
        for (const Scored& episode : kept_) {
            out.insert(out.end(), episode.steps.begin(), episode.steps.end());
        }
        return out;
    }

private:
    static std::size_t size(const std::vector<Scored>& episodes) {
        std::size_t out = 0;
        for (const Scored& episode : episodes) {
            out += episode.steps.size();
        }
        return out;
    }
    std::size_t rows_;
    std::vector<Scored> kept_;
};

// Episodes in the order in which keepers hear of their ends; `from` is where each lane was at the last call.
void offer_ended(const test::World& world, NaiveBest& naive, std::vector<std::size_t>& from, std::size_t already) {
    const std::size_t steps = world.record[0].size();
    for (std::size_t end = already; end < steps; ++end) {
        for (std::size_t lane = 0; lane < world.record.size(); ++lane) {
            const auto& all = world.record[lane];
            if ((all[end].terminated | all[end].truncated) != 0) {
                const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from[lane]);
                naive.offer({begin, all.begin() + static_cast<std::ptrdiff_t>(end) + 1});
                from[lane] = end + 1;
            }
        }
    }
}

TEST_CASE("a reservoir keeps what algorithm R keeps, whatever the rounds") {
    const auto seed = GENERATE(range(1U, 25U));
    CAPTURE(seed);
    test::Dice random{seed};
    test::World world(seed, 12, 1 + random() % 4, kWidth);
    const std::uint32_t rows = 1 + random() % 40;
    Keeper keeper = keeper_of(world, rows, Keeping::kReservoir, seed);
    go(world, keeper, 12, 10, random, [&] { check_same(gathered(keeper), drawn(world, rows, seed)); });
}

TEST_CASE("every frame is in a reservoir with the same probability") {
    constexpr std::uint32_t kFrames = 120;
    constexpr std::uint32_t kRows = 30;
    constexpr std::uint32_t kRuns = 600;
    std::vector<double> times(kFrames);
    test::World world(1, kFrames + 1, 1, 1);
    for (std::uint32_t step = 0; step < kFrames; ++step) {
        *static_cast<std::int64_t*>(row_at(world.storage.find("action")->view, step, 0)) = 0;
        world.step();
        *static_cast<std::int64_t*>(row_at(world.storage.find("action")->view, step, 0)) = step;
    }
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
        Keeper keeper = keeper_of(world, kRows, Keeping::kReservoir, seed);
        keeper.take(world.storage);
        const auto* const actions = keeper.storage().find("action")->view.as<std::int64_t>();
        for (std::uint32_t row = 0; row < kRows; ++row) {
            ++times[static_cast<std::size_t>(actions[row])];
        }
    }
    constexpr double kExpected = kRuns * double{kRows} / kFrames;
    double chi = 0;
    for (const double count : times) {
        chi += (count - kExpected) * (count - kExpected) / kExpected;
    }
    // Frames drawn without replacement: the sum has a mean of (1 - rows / frames) frames, and a standard deviation of
    // about 0.75 sqrt(2 frames).
    CHECK(chi < 0.75 * (kFrames + 4 * 15.5));
    CHECK(chi > 0.75 * (kFrames - 4 * 15.5));
}

TEST_CASE("the best episodes are kept whole, against a plain list of them") {
    const auto seed = GENERATE(range(1U, 40U));
    const bool ties = GENERATE(false, true);  // of which the oldest episodes go first
    CAPTURE(seed, ties);
    test::Dice random{seed};
    test::World world(seed, 400, 1 + random() % 4, kWidth);
    const std::uint32_t rows = 8 + random() % 60;
    Keeper keeper = keeper_of(world, rows, Keeping::kBest);
    NaiveBest naive(rows);
    std::vector<std::size_t> from(world.record.size(), 0);
    std::size_t already = 0;
    const auto compare = [&] {
        offer_ended(world, naive, from, already);
        already = world.record[0].size();
        check_same(gathered(keeper), naive.transitions());
    };
    go(world, keeper, 15, 20, random, compare, ties ? step_with_ties : step);
}

TEST_CASE("an episode that a caller cuts off is kept once, and one whose start is gone is not") {
    test::World world(3, 6, 1, kWidth);
    Keeper keeper = keeper_of(world, 50, Keeping::kBest);
    const auto without_ends = [&] {
        world.step();
        return (world.record[0].back().terminated | world.record[0].back().truncated) == 0;
    };
    for (bool runs = false; !runs; keeper.take(world.storage)) {
        runs = without_ends();
    }
    const std::uint32_t before = keeper.storage().view().count[0];
    world.begin(nullptr);
    keeper.take(world.storage);
    keeper.take(world.storage);
    CHECK(keeper.storage().view().count[0] == before + 1);
    std::uint32_t running = 0;  // steps of the running episode
    while (running < 6) {
        running = without_ends() ? running + 1 : 0;
        keeper.take(world.storage);
    }
    const std::uint32_t kept = keeper.storage().view().count[0];
    world.begin(nullptr);
    keeper.take(world.storage);
    CHECK(keeper.storage().view().count[0] == kept);
}

TEST_CASE("taking frames allocates nothing") {
    const auto keeping = GENERATE(Keeping::kBest, Keeping::kReservoir);
    test::Dice random{5};
    test::World world(5, 60, 2, kWidth);
    Keeper keeper = keeper_of(world, 30, keeping);
    std::uint64_t allocations = 0;
    for (int round = 0; round < 40; ++round) {
        for (int step = 0; step < 20; ++step) {
            world.step();
        }
        const std::uint64_t before = test::all_allocations();
        keeper.take(world.storage);
        allocations += test::all_allocations() - before;
    }
    CHECK(allocations == 0);
    CHECK(keeper.storage().view().count[0] > 20);
}

TEST_CASE("what cannot rank episodes is told") {
    const test::World world(1, 4, 1, kWidth);
    const auto by = [&](const char* key) {
        return Keeper::make(world.storage, 10, {.keeping = Keeping::kBest, .by = key}).error().sentence;
    };
    CHECK(by("score") == "'score' ranks no episodes: it is not stored");
    CHECK(by("observation") == "'observation' ranks no episodes: it has rows of [3], but one number ranks an episode");
}

}  // namespace

}  // namespace keeper_test
