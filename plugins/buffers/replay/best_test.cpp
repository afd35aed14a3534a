// SPDX-License-Identifier: Apache-2.0
// The best episodes of random ring buffers that are overwritten, against a ranking of all that are held.
#include "best.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace best_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

using ring_world::below;

constexpr auto kBest = tenon::sampler<Best>("best", "the best episodes");
constexpr std::uint32_t kSlots = 40;
constexpr std::uint32_t kLanes = 3;

auto with(double share) {
    return [=](auto& options) { options["share"].real = share; };
}

using Frames = std::set<std::pair<std::size_t, std::size_t>>;  // lane and step

// The frames of the best whole episodes, by lane and step. Once steps have been overwritten, a sampler cannot know
// whether an episode begins at the oldest step that is left.
Frames best_of(const ring_world::World& world, const std::vector<double>& values, double share) {
    struct Whole {
        double sum;
        std::size_t lane, first, last;
    };
    std::vector<Whole> all;
    std::size_t frames = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        for (std::size_t step = world.oldest(lane); step < world.ends[lane].size(); ++step) {
            const std::size_t last = world.end_of(lane, step);
            const bool may_have_lost = step > 0 && step == world.oldest(lane);
            if (world.begin_of(lane, step) == step && world.ends[lane][last] != 0 && !may_have_lost) {
                double sum = 0;
                for (std::size_t at = step; at <= last; ++at) {
                    sum += values[at % kSlots * kLanes + lane];
                }
                all.push_back({sum, lane, step, last});
                frames += last - step + 1;
            }
        }
    }
    std::ranges::sort(all, std::greater(), &Whole::sum);
    Frames out;
    for (const Whole& one : all) {
        if (static_cast<double>(out.size()) < share * static_cast<double>(frames)) {
            for (std::size_t at = one.first; at <= one.last; ++at) {
                out.insert({one.lane, at});
            }
        }
    }
    return out;
}

}  // namespace

TEST_CASE("frames of the best episodes are drawn, and no others") {
    const auto seed = GENERATE(range(0U, 12U));
    CAPTURE(seed);
    std::mt19937 dice(seed);
    const double share = GENERATE(0.1, 0.5, 1.0);
    SamplerRig rig(kBest, with(share));
    ring_world::World world(rig, kSlots, kLanes);
    std::vector<double> values(std::size_t{kSlots} * kLanes);
    for (const std::uint32_t more : {30U, 7U, 60U}) {  // the last ones overwrite
        for (std::uint32_t i = 0; i < more; ++i) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                values[rig.appended % kSlots * kLanes + lane] = std::uniform_real_distribution<>(-1, 1)(dice);
            }
            world.step(dice, 6);
        }
        const Frames wanted = best_of(world, values, share);
        REQUIRE(rig.look(values) == TN_OK);
        constexpr std::uint32_t kRows = 3000;
        if (wanted.empty()) {
            CHECK(rig.sample(world.first, world.count, kRows, more) == TN_FAILED_PRECONDITION);
            continue;
        }
        REQUIRE(rig.sample(world.first, world.count, kRows, more) == TN_OK);
        Frames found;
        for (std::uint32_t row = 0; row < kRows; ++row) {
            found.insert({rig.lanes[row], world.step_at(rig.lanes[row], rig.slots[row])});
        }
        CHECK(found == wanted);
    }
}

TEST_CASE("without a whole episode there is nothing to draw") {
    SamplerRig rig(kBest, with(0.1));
    ring_world::World world(rig, kSlots, kLanes);
    world.step({0, 0, 0});
    REQUIRE(rig.look(std::vector<double>(std::size_t{kSlots} * kLanes)) == TN_OK);
    CHECK(rig.sample(world.first, world.count, 4) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error, ContainsSubstring("the buffer holds no whole episode yet"));
}

}  // namespace best_test
