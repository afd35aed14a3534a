// SPDX-License-Identifier: Apache-2.0
// Compares windows with those of a plain list of steps, on random ring buffers that are overwritten.
#include "windows.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ring_world.hpp"
#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace windows_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

using ring_world::below;

constexpr auto kWindows = tenon::sampler<Windows>("windows", "windows");

struct Asked {
    std::uint32_t before = 0;
    std::uint32_t after = 0;
    std::string padding = "in_place";
    bool ended = false;
    double share = 1;

    [[nodiscard]] std::uint32_t length() const { return before + 1 + after; }
};

auto with(const Asked& asked) {
    return [&asked](auto& options) {
        options["before"].integer = asked.before;
        options["after"].integer = asked.after;
        options["padding"].text = tenon::to_str(asked.padding.c_str());
        options["ended"].integer = asked.ended ? 1 : 0;
        options["share"].real = asked.share;
    };
}

// The steps of the window of a frame, first to last, and how many of them are before it.
struct Steps {
    std::vector<std::size_t> held;
    std::uint32_t before = 0;
};
Steps steps_of(const ring_world::World& world, const Asked& asked, std::size_t lane, std::size_t frame) {
    Steps out;
    const std::size_t begin = std::max(world.begin_of(lane, frame), world.oldest(lane));
    const std::size_t end = world.end_of(lane, frame);
    for (std::size_t step = begin; step <= end; ++step) {
        if (step + asked.before >= frame && step <= frame + asked.after) {
            out.held.push_back(step);
            out.before += step < frame ? 1 : 0;
        }
    }
    return out;
}

bool fits(const ring_world::World& world, const Asked& asked, std::size_t lane, std::size_t frame) {
    const bool whole = steps_of(world, asked, lane, frame).held.size() == asked.length();
    const bool ended = world.ends[lane][world.end_of(lane, frame)] != 0;
    return (asked.padding != "none" || whole) && (!asked.ended || ended);
}

struct Drawn {
    std::uint32_t rows;
    std::unique_ptr<bool[]> present;
};
Drawn draw(SamplerRig& rig, const ring_world::World& world, const Asked& asked, std::uint32_t rows) {
    Drawn out{rows, std::make_unique<bool[]>(std::size_t{rows} * asked.length())};
    rig.columns = {out.present.get()};
    REQUIRE(rig.sample(world.first, world.count, rows) == TN_OK);
    return out;
}

}  // namespace

TEST_CASE("a window has the steps around its frame, and says which places are present") {
    const auto seed = GENERATE(range(0U, 16U));
    const std::string padding = GENERATE("in_place", "left", "right", "none");
    CAPTURE(seed, padding);
    std::mt19937 dice(seed);
    const Asked asked{
        .before = below(dice, 4), .after = below(dice, 4), .padding = padding, .ended = below(dice, 2) == 0};
    SamplerRig rig(kWindows, with(asked));
    rig.arrays = asked.length() + 1;
    ring_world::World world(rig, 24, 3);
    for (std::uint32_t steps = 30 + below(dice, 40); steps > 0; --steps) {
        world.step(dice, 9);
    }
    std::set<std::pair<std::size_t, std::size_t>> wanted;
    for (std::size_t lane = 0; lane < 3; ++lane) {
        for (std::size_t frame = world.oldest(lane); frame < world.ends[lane].size(); ++frame) {
            if (fits(world, asked, lane, frame)) {
                wanted.insert({lane, frame});
            }
        }
    }
    if (wanted.empty()) {
        return;
    }
    constexpr std::uint32_t kRows = 2000;
    const Drawn drawn = draw(rig, world, asked, kRows);
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (std::uint32_t row = 0; row < kRows; ++row) {
        const std::size_t lane = rig.lanes[row];
        const auto step = [&](std::uint32_t array) {
            REQUIRE(rig.lanes[array * kRows + row] == lane);
            return world.step_at(lane, rig.slots[array * kRows + row]);
        };
        const std::size_t frame = step(asked.length());
        found.insert({lane, frame});
        const Steps steps = steps_of(world, asked, lane, frame);
        const std::uint32_t real = static_cast<std::uint32_t>(steps.held.size());
        const std::uint32_t offset = padding == "left"    ? asked.length() - real
                                     : padding == "right" ? 0
                                                          : asked.before - steps.before;
        for (std::uint32_t place = 0; place < asked.length(); ++place) {
            const bool present = place >= offset && place < offset + real;
            const std::uint32_t nearest = place < offset ? 0 : std::min(place - offset, real - 1);
            REQUIRE(drawn.present[row * asked.length() + place] == present);
            REQUIRE(step(place) == steps.held[nearest]);
        }
    }
    CHECK(found == wanted);
}

TEST_CASE("every frame that fits is drawn equally often") {
    const Asked asked{.before = 2, .padding = "none"};
    SamplerRig rig(kWindows, with(asked));
    rig.arrays = 4;
    ring_world::World world(rig, 12, 1);
    for (const int how : {0, 0, 0, 1, 0, 1, 0, 0, 0, 0}) {
        world.step({how});
    }
    constexpr std::uint32_t kRows = 40000;
    draw(rig, world, asked, kRows);
    std::vector<std::uint32_t> counts(12, 0);
    for (std::uint32_t row = 0; row < kRows; ++row) {
        ++counts[rig.slots[3 * kRows + row]];
    }
    for (const std::size_t slot : {2U, 3U, 8U, 9U}) {
        CAPTURE(slot);
        CHECK(counts[slot] > 10000 - 4.5 * 86.6);  // the standard deviation of 40,000 draws with probability 1/4
        CHECK(counts[slot] < 10000 + 4.5 * 86.6);
    }
}

TEST_CASE("with a share, only frames of the best episodes are drawn, with the steps around them") {
    const Asked asked{.before = 2, .share = 0.3};
    SamplerRig rig(kWindows, with(asked));
    rig.arrays = 4;
    ring_world::World world(rig, 12, 1);
    std::vector<double> rewards(12, 0);
    for (const int how : {0, 1, 0, 0, 1, 0, 1, 0}) {  // episodes of 2, 3 and 2 steps, and one that goes on
        rewards[rig.appended % 12] = rig.appended >= 2 && rig.appended < 5 ? 1 : 0;
        world.step({how});
    }
    rewards[7] = 100;
    REQUIRE(rig.look(rewards) == TN_OK);
    constexpr std::uint32_t kRows = 200;
    draw(rig, world, asked, kRows);
    std::set<std::uint32_t> frames;
    std::set<std::uint32_t> before;
    for (std::uint32_t row = 0; row < kRows; ++row) {
        frames.insert(rig.slots[3 * kRows + row]);
        before.insert(rig.slots[row]);
    }
    CHECK(frames == std::set<std::uint32_t>{2, 3, 4});
    CHECK(before == std::set<std::uint32_t>{2});
}

TEST_CASE("with a share and no whole episode there is nothing to draw") {
    const Asked asked{.share = 0.5};
    SamplerRig rig(kWindows, with(asked));
    rig.arrays = 2;
    ring_world::World world(rig, 12, 1);
    world.step({0});
    REQUIRE(rig.look(std::vector<double>(12)) == TN_OK);
    const auto present = std::make_unique<bool[]>(std::size_t{4} * asked.length());
    rig.columns = {present.get()};
    CHECK(rig.sample(world.first, world.count, 4) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error, ContainsSubstring("the buffer holds no whole episode yet"));
}

TEST_CASE("the plan names the places of a window") {
    const Asked asked{.before = 3, .after = 1};
    const SamplerRig rig(kWindows, with(asked));
    const tn_sampler_info info = rig.plan();
    CHECK(info.array_count == 6);
    REQUIRE(info.gather_count == 3);
    CHECK(info.gathers[0]->array == 5);
    CHECK(tenon::to_view(info.gathers[1]->source) == "observation");
    CHECK(tenon::to_view(info.gathers[1]->target) == "window.observation");
    CHECK(info.gathers[1]->array == 0);
    CHECK(info.gathers[1]->count == 5);
    CHECK(info.gathers[1]->flags == TN_GATHER_KEEP_SIZE);
    REQUIRE(info.column_count == 1);
    CHECK(tenon::to_view(info.columns[0]->key) == "window.present");
    CHECK(info.columns[0]->dtype == TN_BOOL);
    CHECK(info.columns[0]->size == 5);
}

TEST_CASE("a buffer without a frame that fits says which window is too large") {
    const Asked asked{.before = 5, .after = 2, .padding = "none"};
    SamplerRig rig(kWindows, with(asked));
    rig.arrays = 9;
    ring_world::World world(rig, 24, 1);
    for (int i = 0; i < 14; ++i) {
        world.step({i % 7 == 6 ? 1 : 0});
    }
    const auto present = std::make_unique<bool[]>(std::size_t{4} * asked.length());
    rig.columns = {present.get()};
    CHECK(rig.sample(world.first, world.count, 4) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error,
               ContainsSubstring("the buffer holds no frame with 5 steps before it and 2 after it in its episode"));
}

}  // namespace windows_test
